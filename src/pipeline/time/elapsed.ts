/** Time spans in whole seconds. */

const units = [
  ["d", 86_400],
  ["h", 3600],
  ["m", 60],
  ["s", 1]
] as const

/** Milliseconds as `1d 2h 3m 4s`: whole seconds, units that are zero left out, `0s` for nothing and for a clock that went back. */
export const compact = (millis: number): string => {
  let rest = Math.max(0, Math.floor(millis / 1000))
  const parts: Array<string> = []
  for (const [unit, seconds] of units) {
    const count = Math.floor(rest / seconds)
    rest -= count * seconds
    if (count > 0) parts.push(`${count}${unit}`)
  }
  return parts.length === 0 ? "0s" : parts.join(" ")
}

/**
 * Whether a reading taken at `last` has lasted `interval` (all in milliseconds). A clock that has gone back further than the
 * interval makes it due as well: what was told is off by more than it may be.
 */
export const isDue = (now: number, last: number | undefined, interval: number): boolean =>
  last === undefined || Math.abs(now - last) >= interval
