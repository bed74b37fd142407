/** Paths that fail, hang or answer late. */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/**
 * The requests a fault is for.
 *
 * - `stat`: `stat`, `lstat`, `access`, `exists`
 * - `read`: opening for content, by whatever method: `open`, `stream`, `readFile`, `readFileString`
 * - `realPath`
 * - `list`: `readDirectory`, `readDirectoryEntries`
 * - `any`: all of them, and every other request that names the path
 */
export type FaultOperation = "stat" | "read" | "realPath" | "list" | "any"

/**
 * How a request goes wrong: it fails (`Unknown` with code `EIO`); it never returns, but can be interrupted; or it is
 * carried out after a while on Effect's clock.
 */
export type Fault = "PermissionDenied" | "Unknown" | "hang" | { readonly delay: Duration.Input }

export type Operation = Exclude<FaultOperation, "any"> | "other"

export class Faults {
  readonly #faults = new Map<string, Map<FaultOperation, Fault>>()

  set(path: string, operation: FaultOperation, fault: Fault): void {
    const faults = this.#faults.get(path) ?? new Map<FaultOperation, Fault>()
    this.#faults.set(path, faults.set(operation, fault))
  }

  heal(path: string | undefined): void {
    if (path === undefined) this.#faults.clear()
    else this.#faults.delete(path)
  }

  /** The error code that a request for `path` has to fail with, if any. */
  code(path: string, operation: Operation): string | undefined {
    const fault = this.#get(path, operation)
    return fault === "PermissionDenied" ? "EACCES" : fault === "Unknown" ? "EIO" : undefined
  }

  /** What a request for `path` has to wait for first. */
  wait(path: string, operation: Operation): Effect.Effect<void> {
    return Effect.suspend(() => {
      const fault = this.#get(path, operation)
      if (fault === "hang") return Effect.never
      return typeof fault === "object" ? Effect.sleep(fault.delay) : Effect.void
    })
  }

  #get(path: string, operation: Operation): Fault | undefined {
    const faults = this.#faults.get(path)
    return (operation === "other" ? undefined : faults?.get(operation)) ?? faults?.get("any")
  }
}
