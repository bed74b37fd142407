/** A process's controlling terminal, from what the system says about the process. */

/** A terminal's path, or `none`: the process has none. */
export type Terminal = { readonly _tag: "Terminal"; readonly path: string } | { readonly _tag: "None" }

/** The answer of `ps -o tty= -p PID`: `pts/3`, `ttys003` on macOS, some dashes or question marks for none. */
export const parsePs = (answer: string): Terminal | undefined => {
  const text = answer.trim()
  if (/^(?:\?{1,2}|-{1,2})$/.test(text)) return { _tag: "None" }
  if (!/^[A-Za-z0-9/]+$/.test(text)) return undefined
  return { _tag: "Terminal", path: text.startsWith("/dev/") ? text : `/dev/${text}` }
}

const firstPseudoTerminal = 136
const lastPseudoTerminal = 143

/** The content of Linux's `/proc/PID/stat`, for machines without `ps`. */
export const parseProcStat = (content: string): Terminal | undefined => {
  // The name of the program stands in parentheses and may hold anything, blanks and parentheses included.
  const fields = content
    .slice(content.lastIndexOf(")") + 1)
    .trim()
    .split(/\s+/)
  const device = content.includes(")") ? Number(fields[4] || Number.NaN) : Number.NaN
  if (!Number.isInteger(device)) return undefined
  if (device === 0) return { _tag: "None" }
  const major = (device >>> 8) & 0xfff
  const minor = (device & 0xff) | ((device >>> 12) & 0xfff00)
  const isPseudo = major >= firstPseudoTerminal && major <= lastPseudoTerminal
  // Panes live in pseudo-terminals; any other device only has to be different.
  return {
    _tag: "Terminal",
    path: isPseudo ? `/dev/pts/${minor + (major - firstPseudoTerminal) * 256}` : `/dev/${major}:${minor}`
  }
}
