import { defineConfig } from "vitest/config"
import { mutantPlugin } from "./test/support/mutants.ts"

export default defineConfig({
  plugins: [mutantPlugin],
  test: {
    include: ["test/**/*.test.ts"],
    // By default one core is left over, which on two cores is half of them.
    maxWorkers: "100%",
    // Properties with many runs and tests on the real file system need more than the default five seconds.
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
})
