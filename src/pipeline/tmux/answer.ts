/** What tmux is asked, and what its answer means. */
import type { TmuxLocation } from "../../schemas/TmuxContext.ts"

/** A pane as tmux describes it. `tty`: the path of its terminal. */
export interface Pane {
  readonly tty: string
  readonly location: TmuxLocation
}

/**
 * One line of fields. Only the last, the window's name, may hold a colon: tmux does not allow one in the name of a session,
 * and writes line breaks and other control characters of a name as escapes.
 */
export const paneFormat = [
  "#{pane_id}",
  "#{pane_tty}",
  "#{pane_index}",
  "#{pane_active}",
  "#{window_index}",
  "#{window_active}",
  "#{window_layout}",
  "#{session_name}",
  "#{window_name}"
].join(":")

const fields = /^(%\d+):(\/[^:\n]+):(\d{1,9}):([01]):(\d{1,9}):([01]):([^:\n]+):([^:\n]+):([^\n]*)\n?$/

/** Code points of a name, and of a layout, that are shown. */
export const shownName = 80
export const shownLayout = 400

/** Cut at a code point. */
const cut = (text: string, limit: number): string => {
  if (text.length <= limit) return text
  const points = Array.from(text.slice(0, limit * 2 + 2))
  return points.length <= limit ? text : `${points.slice(0, limit - 1).join("")}…`
}

/** The answer to `paneFormat` about the pane `id`; nothing, if it is none. */
export const parsePane = (id: string, answer: string): Pane | undefined => {
  const match = fields.exec(answer)
  if (match === null || match[1] !== id) return undefined
  const [, , tty, paneIndex, paneActive, windowIndex, windowActive, layout, session, windowName] = match
  return {
    tty: tty!,
    location: {
      session: cut(session!, shownName),
      window: { index: Number(windowIndex), name: cut(windowName!, shownName), active: windowActive === "1" },
      pane: { index: Number(paneIndex), id, active: paneActive === "1" },
      layout: cut(layout!, shownLayout)
    }
  }
}

const paneId = /^%\d{1,9}$/

/** Whether a text is the id of a pane, as `$TMUX_PANE` holds it. */
export const isPaneId = (text: string): boolean => paneId.test(text)

/** The socket that `$TMUX` names: what comes before the server's process and the session. */
export const socketOf = (variable: string): string | undefined => /^(\/.*),\d+,\d+$/.exec(variable)?.[1]
