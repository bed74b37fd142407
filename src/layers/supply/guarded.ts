/** The edge to callbacks that belong to somebody else. */

/** What was thrown, as text; whoever threw it may have thrown something that has none. */
const shown = (thrown: unknown): string => {
  try {
    return String(thrown)
  } catch {
    return "what it threw cannot be shown as text"
  }
}

/** Runs a callback inside `append` perhaps: what it throws may not get out, and is told to `complain` instead. */
export const guarded = (run: () => void, complain: (thrown: string) => void): void => {
  try {
    run()
  } catch (thrown) {
    complain(shown(thrown))
  }
}
