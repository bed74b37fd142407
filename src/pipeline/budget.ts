/**
 * Which parts of a message a byte budget keeps (I-61, I-62).
 *
 * Parts arrive in message order, each with its rank and its size once rendered. From the most specific down, a part is
 * kept when everything kept so far, itself, and a notice about **all** the parts not kept yet fit together. Every part is
 * larger than its entry in the notice, so keeping one more never makes room: that question decides whether the part can
 * be kept at all, nothing is rendered twice or reconsidered, and what is omitted would not fit in the result either.
 * There is one exception, tried first: with every part kept there is no notice.
 */

/** A part of a message that has to be kept whole or left out. Sizes are UTF-8 bytes. */
export interface Part {
  /** Higher ranks are more specific and are kept first; equal ranks: the later part first. */
  readonly rank: number
  /** Size when shown whole; `undefined` for a part that is not there to be shown. */
  readonly size: number | undefined
  /** Size of its entry in the notice. 0 for a part that no notice mentions: it is decided before all others. */
  readonly entry: number
}

/** The outcome. */
export interface Selection {
  readonly kept: ReadonlyArray<boolean>
  /** The most specific part, when it has to be cut. The parts after it are not decided then. */
  readonly cut: number | undefined
}

/** The size of the notice when the entries of the omitted parts add up to `entries` bytes. */
export type NoticeSize = (omitted: number, entries: number) => number

/** Indices from the most specific part to the broadest. */
export const bySpecificity = (parts: ReadonlyArray<Part>): ReadonlyArray<number> =>
  Array.from(parts.keys()).sort((a, b) => parts[b]!.rank - parts[a]!.rank || b - a)

/**
 * Selects parts for `room` bytes. When the most specific part that a notice mentions does not fit whole, `cuttable` says
 * whether it is cut, given its index and the bytes used so far.
 */
export const select = (
  parts: ReadonlyArray<Part>,
  room: number,
  notice: NoticeSize,
  cuttable: (index: number, used: number) => boolean
): Selection => {
  const order = bySpecificity(parts)
  const mentioned = order.filter((index) => parts[index]!.entry > 0)
  const kept = parts.map(() => false)
  let used = 0
  const keep = (index: number) => {
    kept[index] = true
    used += parts[index]!.size!
  }
  let omitted = mentioned.length
  let entries = 0
  let whole = notice(0, 0)
  for (const index of mentioned) {
    entries += parts[index]!.entry
    whole += parts[index]!.size ?? Infinity
  }
  const least = Math.min(whole, notice(omitted, entries))
  for (const index of order) {
    const { entry, size } = parts[index]!
    if (entry === 0 && size !== undefined && used + size + least <= room) keep(index)
  }
  if (used + whole <= room) {
    mentioned.forEach(keep)
    return { kept, cut: undefined }
  }
  for (const index of mentioned) {
    const { entry, size } = parts[index]!
    if (size !== undefined && used + size + notice(omitted - 1, entries - entry) <= room) {
      keep(index)
      omitted -= 1
      entries -= entry
    } else if (index === mentioned[0] && cuttable(index, used)) {
      return { kept, cut: index }
    }
  }
  return { kept, cut: undefined }
}
