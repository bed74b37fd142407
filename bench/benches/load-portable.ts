/** The same over the file system of `@effect/platform-node`, which hands every question to the thread pool. */
export { default } from "./load.ts"
