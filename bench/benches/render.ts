/** Render 100, 300 and 1,000 files of 4 KiB, far more than fit: what it costs, and how that grows. */
import * as assert from "node:assert/strict"
import { render, type Section } from "../../src/pipeline/instructions/render.ts"
import { instructions } from "../fixtures.ts"
import type { Bench, Measurement } from "../lib/bench.ts"
import { compare } from "../lib/compare.ts"
import * as dsh from "../peers/dsh.ts"

const bytes = 4096
const maxBytes = 65_536
const most = { us: 10_000, growth: 12 }

const files = (count: number) =>
  Array.from({ length: count }, (_, index) => {
    const directory = `packages/part${String(index).padStart(4, "0")}`
    return { directory, path: `${directory}/AGENTS.md`, text: instructions(`Part ${index}`, bytes) }
  })

/** One pass over the bytes, and the texts that fit. */
const onePass = (texts: ReadonlyArray<string>): string => {
  let room = maxBytes
  let kept = ""
  for (const text of texts.toReversed()) {
    const size = Buffer.byteLength(text)
    if (text.includes("</system-reminder") || size > room) continue
    room -= size
    kept += text
  }
  return kept
}

const bench: Bench = async function* (name) {
  const measured = new Map<number, Measurement>()
  for (const count of [100, 300, 1000]) {
    const input = files(count)
    const sections = input.map(({ directory, path, text }): Section => ({
      kind: "set",
      scope: { owner: "project", directory, slot: "base" },
      path,
      text,
      bytes: Buffer.byteLength(text)
    }))
    const theirs = input.map(({ path, text }) => ({
      absolutePath: `/project/${path}`,
      displayPath: path,
      content: text
    }))
    const texts = input.map(({ text }) => text)
    const check = (text: string) => {
      assert.ok(text.includes(`# Part ${count - 1}\n`), "the most specific file is there")
      assert.ok(Buffer.byteLength(text) <= maxBytes, "it keeps to the budget")
    }
    const measurement = await compare({
      name,
      n: count,
      ours: { run: () => render(sections, maxBytes, "baseline").text, check },
      peers: { dsh: { run: () => dsh.render(theirs, maxBytes), check } },
      floor: { run: () => onePass(texts), check },
      target: count === 1000 ? { us: most.us } : { ratio: 1 }
    })
    measured.set(count, measurement)
    yield measurement
  }
  yield {
    name: `${name}-growth`,
    n: 1000,
    ours: measured.get(1000)!.ours,
    peers: { "ours at 100": measured.get(100)!.ours },
    target: { ratio: most.growth }
  }
}

export default bench
