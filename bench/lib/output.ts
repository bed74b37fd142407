/** Measurements as lines: JSON for programs, a table for people. */
import type { Measurement } from "./bench.ts"

/** The line of one measurement. Times are microseconds, or bytes if `unit` says so; `ok` is `ratio <= target`. */
export interface Line {
  readonly name: string
  readonly n: number
  readonly unit?: "bytes"
  readonly ours_us: number
  readonly ours_p95_us: number
  readonly best_peer: string
  readonly best_peer_us: number
  readonly ratio: number
  readonly target: number
  readonly ok: boolean
}

const round = (value: number): number => Number(value.toPrecision(4))

const best = (measurement: Measurement): readonly [name: string, us: number] => {
  const peers = Object.entries(measurement.peers).map(([name, stats]) => [name, stats.median] as const)
  return peers.reduce((fastest, peer) => (peer[1] < fastest[1] ? peer : fastest))
}

/** A target given as a time becomes the ratio that comes to the same; one for the p95 is held against that of ours. */
export const lineOf = (measurement: Measurement): Line => {
  const [name, us] = best(measurement)
  const { ours, target } = measurement
  const ratio = ("p95Us" in target ? ours.p95 : ours.median) / us
  const most = "ratio" in target ? target.ratio : ("us" in target ? target.us : target.p95Us) / us
  return {
    name: measurement.name,
    n: measurement.n,
    ...(measurement.unit === undefined ? {} : { unit: measurement.unit }),
    ours_us: round(ours.median),
    ours_p95_us: round(ours.p95),
    best_peer: name,
    best_peer_us: round(us),
    ratio: round(ratio),
    target: round(most),
    ok: ratio <= most
  }
}

const time = (us: number): string => {
  const [value, unit] = us >= 1_000_000 ? [us / 1_000_000, "s"] : us >= 1000 ? [us / 1000, "ms"] : [us, "µs"]
  return `${value.toPrecision(3)} ${unit}`
}

const size = (bytes: number): string => `${(bytes / 1_000_000).toPrecision(3)} MB`

const goal = ({ target }: Measurement): string =>
  "ratio" in target ? `≤ ${target.ratio}` : "us" in target ? `≤ ${time(target.us)}` : `p95 ≤ ${time(target.p95Us)}`

/** The time or size of a peer, and ours as a part of it. */
const withRatio = (show: (value: number) => string, ours: number, peer: number): string =>
  `${show(peer)} (${(ours / peer).toPrecision(2)})`

/** All measurements, one row each, with a column for every peer. */
export const tableOf = (measurements: ReadonlyArray<Measurement>): string => {
  const peers = [...new Set(measurements.flatMap((measurement) => Object.keys(measurement.peers)))]
  const head = ["name", "n", "ours", "p95", ...peers, "best peer", "ratio", "floor", "to floor", "target", "ok"]
  const rows = measurements.map((measurement) => {
    const { floor, ours } = measurement
    const line = lineOf(measurement)
    const show = measurement.unit === "bytes" ? size : time
    const others = peers.map((peer) => measurement.peers[peer])
    return [
      line.name,
      line.n.toLocaleString("en"),
      show(ours.median),
      show(ours.p95),
      ...others.map((stats) => (stats === undefined ? "–" : withRatio(show, ours.median, stats.median))),
      line.best_peer,
      line.ratio.toPrecision(3),
      floor === undefined ? "–" : show(floor.median),
      floor === undefined ? "–" : (ours.median / floor.median).toPrecision(3),
      goal(measurement),
      line.ok ? "yes" : "NO"
    ]
  })
  const lines = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  const left = new Set([0, head.indexOf("best peer")])
  const shown = lines.map((line) =>
    line
      .map((cell, at) => (left.has(at) ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!)))
      .join("  ")
      .trimEnd()
  )
  return [shown[0]!, widths.map((width) => "─".repeat(width)).join("  "), ...shown.slice(1)].join("\n")
}
