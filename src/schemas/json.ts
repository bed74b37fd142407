/** What JSON can carry: the one check every value passes before it is logged. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

/** Nothing that people write nests deeper; a value that refers to itself is found here instead of on a full stack. */
const maxDepth = 500

interface NotJson {
  readonly detail: string
}

const refuse = (path: ReadonlyArray<string | number>, what: string): NotJson => {
  const place = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join("")
  return { detail: `${place === "" ? "the value" : place.replace(/^\./, "")} is ${what}, which JSON cannot carry` }
}

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  // An object literal of another realm is plain as well, so the prototype is judged by its own and not by identity.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

const copy = (value: unknown, path: Array<string | number>): Schema.Json => {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value
    case "number":
      if (!Number.isFinite(value)) throw refuse(path, String(value))
      return value === 0 ? 0 : value
    case "object":
      break
    default:
      throw refuse(path, typeof value === "undefined" ? "undefined" : `a ${typeof value}`)
  }
  if (value === null) return null
  if (path.length >= maxDepth) throw { detail: `it nests more than ${maxDepth} levels deep` } satisfies NotJson
  if (Array.isArray(value)) {
    const items: Array<Schema.Json> = []
    for (let index = 0; index < value.length; index++) {
      path.push(index)
      items.push(copy(value[index], path))
      path.pop()
    }
    return items
  }
  if (!isPlain(value)) throw refuse(path, "an object of a class")
  const fields: Record<string, Schema.Json> = {}
  for (const key of Object.keys(value)) {
    path.push(key)
    const field = copy((value as Record<string, unknown>)[key], path)
    path.pop()
    if (key === "__proto__") {
      Object.defineProperty(fields, key, { value: field, enumerable: true, configurable: true, writable: true })
    } else {
      fields[key] = field
    }
  }
  return fields
}

/**
 * A copy of `value` that shares nothing mutable with it, or a sentence that says which part of it is no JSON. Reading
 * back what `JSON.stringify` writes of the copy gives the copy again; that is why `-0` becomes `0`.
 */
export const copyJson = (value: unknown): Result.Result<Schema.Json, string> => {
  try {
    return Result.succeed(copy(value, []))
  } catch (thrown) {
    // A getter may throw anything; it makes the value no less impossible to log.
    const detail = (thrown as Partial<NotJson> | null)?.detail
    return Result.fail(typeof detail === "string" ? detail : `it cannot be read: ${String(thrown)}`)
  }
}
