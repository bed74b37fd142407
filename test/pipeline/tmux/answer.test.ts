import { assert, describe, it } from "@effect/vitest"
import { isPaneId, parsePane, shownLayout, shownName, socketOf } from "../../../src/pipeline/tmux/answer.ts"

const answer = "%3:/dev/pts/4:1:1:2:0:bb62,80x24,0,0,3:work:edit: main.ts\n"

describe("[T-2] tmux's answer", () => {
  it("is read field by field; only the window's name may hold a colon", () => {
    assert.deepStrictEqual(parsePane("%3", answer), {
      tty: "/dev/pts/4",
      location: {
        session: "work",
        window: { index: 2, name: "edit: main.ts", active: false },
        pane: { index: 1, id: "%3", active: true },
        layout: "bb62,80x24,0,0,3"
      }
    })
  })

  it("may have a window without a name", () => {
    assert.strictEqual(parsePane("%3", "%3:/dev/pts/4:1:1:2:0:l:work:\n")?.location.window.name, "")
  })

  it.each([
    ["of another pane", answer.replace("%3:", "%4:")],
    ["empty", ""],
    ["without values, as for a pane that is gone", ":::::::::\n"],
    ["with a line too many", `${answer}more\n`],
    ["with a field too few", "%3:/dev/pts/4:1:1:2:0:work:edit\n"],
    ["with a flag that is none", answer.replace(":1:1:", ":1:yes:")],
    ["with an index that is none", answer.replace(":1:1:", ":-1:1:")],
    ["with a terminal that is no path", answer.replace("/dev", "dev")],
    ["from something else", "usage: tmux [-2CDlNuVv]\n"]
  ])("that is odd is none: %s", (_, odd) => assert.isUndefined(parsePane("%3", odd)))

  it("is cut at code points", () => {
    const name = "🦀".repeat(200)
    const { layout, session, window } = parsePane(
      "%3",
      `%3:/dev/pts/4:1:1:2:0:${"x".repeat(5000)}:${"s".repeat(81)}:${name}`
    )!.location
    assert.strictEqual(window.name, `${"🦀".repeat(shownName - 1)}…`)
    assert.strictEqual(session, `${"s".repeat(shownName - 1)}…`)
    assert.strictEqual(layout.length, shownLayout)
  })

  it("is not cut if it just fits", () => {
    const name = "🦀".repeat(shownName)
    assert.strictEqual(parsePane("%3", `%3:/dev/pts/4:1:1:2:0:l:s:${name}\n`)?.location.window.name, name)
  })
})

describe("[T-2] the environment of a pane", () => {
  it.each([
    ["%0", true],
    ["%12", true],
    ["0", false],
    ["%", false],
    ["%1 ", false],
    ["work:1", false],
    ["%1;kill-server", false]
  ] as const)("%j is a pane: %s", (text, is) => assert.strictEqual(isPaneId(text), is))

  it.each([
    ["/tmp/tmux-0/default,123,0", "/tmp/tmux-0/default"],
    ["/tmp/a,b/default,123,0", "/tmp/a,b/default"],
    ["", undefined],
    ["relative,1,0", undefined],
    ["/tmp/socket", undefined]
  ])("$TMUX=%s names the socket %s", (variable, socket) => assert.strictEqual(socketOf(variable), socket))
})
