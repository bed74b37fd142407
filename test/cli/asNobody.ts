/**
 * The command as a user who may not read everything, which the superuser may. The rights are given up only after every
 * module is loaded, so that the checkout itself may lie where nobody else can read.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import { run } from "../../src/cli/app.ts"

const nobody = 65_534

if (process.getuid?.() === 0) {
  process.setgroups?.([nobody])
  process.setgid?.(nobody)
  process.setuid?.(nobody)
}

NodeRuntime.runMain(Effect.provide(run(process.argv.slice(2)), NodeServices.layer))
