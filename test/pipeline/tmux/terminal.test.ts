import { assert, describe, it } from "@effect/vitest"
import { parseProcStat, parsePs } from "../../../src/pipeline/tmux/terminal.ts"

const none = { _tag: "None" } as const
const terminal = (path: string) => ({ _tag: "Terminal", path }) as const

describe("[T-2] the controlling terminal", () => {
  it.each([
    ["pts/3\n", terminal("/dev/pts/3")],
    ["ttys003 \n", terminal("/dev/ttys003")],
    ["/dev/pts/3\n", terminal("/dev/pts/3")],
    ["?\n", none],
    ["??\n", none],
    ["-\n", none],
    ["", undefined],
    ["136,3\n", undefined],
    ["PID TTY\n1 pts/0\n", undefined]
  ])("ps says %j", (answer, expected) => assert.deepStrictEqual(parsePs(answer), expected))

  const stat = (device: number | string, name = "node") => `812 (${name}) S 1 812 812 ${device} 812 4194560 100 0 0`
  it.each([
    [stat(34_819), terminal("/dev/pts/3")],
    [stat(34_819, "a) S 1 2 3 (b c"), terminal("/dev/pts/3")],
    [stat((136 << 8) | 5 | (1 << 20)), terminal("/dev/pts/261")],
    [stat((137 << 8) | 1), terminal("/dev/pts/257")],
    [stat((4 << 8) | 1), terminal("/dev/4:1")],
    [stat(0), none],
    [stat("x"), undefined],
    ["", undefined],
    ["812 (node", undefined],
    ["812 (node) S", undefined]
  ])("/proc says %j", (content, expected) => assert.deepStrictEqual(parseProcStat(content), expected))
})
