/** One comparison: ours, every peer and the floor, taking turns. */
import type { Measurement } from "./bench.ts"
import { measure, type Subject, type TimerOptions } from "./timer.ts"

export interface Comparison extends TimerOptions, Pick<Measurement, "name" | "n" | "target"> {
  readonly ours: Subject
  readonly peers: Readonly<Record<string, Subject>>
  readonly floor?: Subject
}

export const compare = async ({
  floor,
  n,
  name,
  ours,
  peers,
  target,
  ...options
}: Comparison): Promise<Measurement> => {
  const names = Object.keys(peers)
  const subjects: Record<string, Subject> = { ours }
  for (const peer of names) subjects[`peer ${peer}`] = peers[peer]!
  if (floor !== undefined) subjects["floor"] = floor
  const stats = await measure(subjects, options)
  return {
    name,
    n,
    ours: stats["ours"]!,
    peers: Object.fromEntries(names.map((peer) => [peer, stats[`peer ${peer}`]!])),
    ...(floor === undefined ? {} : { floor: stats["floor"]! }),
    target
  }
}
