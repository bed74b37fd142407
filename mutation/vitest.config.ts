import { defineConfig } from "vitest/config"

/** A mistake shows in the first hundred examples or, as good as always, in none; a property need not try thousands of each mutant. */
const fewerRuns = {
  name: "fewer-runs",
  enforce: "pre" as const,
  transform: (code: string, id: string) =>
    id.endsWith(".test.ts") ? code.replace(/(arbitrary: \{ runs: )[\d_]{3,}/g, "$1120") : undefined
}

/** Runs the tests that the group names. */
export default defineConfig({
  plugins: [fewerRuns],
  test: {
    include: JSON.parse(process.env["MUTATION_TESTS"] ?? "[]") as Array<string>,
    // They take long, or become another user, which no worker can.
    exclude: [
      "test/**/{walkers,race,watcher,watchedDisk,tmuxReal,parity,process}.test.ts",
      "test/layers/instructions/hostile.test.ts"
    ],
    testTimeout: 60_000
  }
})
