/** What the killed process writes, so that the test can tell it again from what it reads. */
import type { SessionEventInput } from "../../src/schemas/SessionEvent.ts"

/**
 * A batch of `size` events whose first `seq` is `from`. One in thirty is large, so that dying in the middle of it is
 * likely.
 */
export const batchOf = (from: number, size: number, kind: number): [SessionEventInput, ...Array<SessionEventInput>] => {
  const text = kind === 0 ? "€".repeat(60_000) : "x".repeat(kind * 40)
  const event = (index: number): SessionEventInput => ({ type: "test:kill", from, index, size, kind, text })
  return [event(0), ...Array.from({ length: size - 1 }, (_, index) => event(index + 1))]
}
