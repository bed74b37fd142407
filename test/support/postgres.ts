/**
 * The PostgreSQL that tests talk to: the one that `SESSION_SQL_URL` names. `scripts/postgres.sh start` prints the URL of one.
 *
 * Without it these tests are skipped on a developer's machine, which `npm test` says; with `CI=true` they fail.
 */
import { it } from "@effect/vitest"
import { url } from "./database.ts"

export { clientOf, freshDatabase, url, urlOf } from "./database.ts"

const missing = "SESSION_SQL_URL names no PostgreSQL to test with; scripts/postgres.sh start prints the URL of one"

/** Tests that need the server. The name says so where they are skipped. */
export const withPostgres = (name: string, define: () => void): void => {
  if (url !== "") define()
  else if (process.env["CI"] === "true") {
    it(name, () => {
      throw new Error(missing)
    })
  } else it.skip(`${name}: ${missing}`, () => {})
}
