/** The end of a registration: once, for good, and for however many are waiting. */

/** `signal` is for the provider; what waits in here goes by `onEnd`, since many listeners on one signal are taken for a leak. */
export interface Ending {
  readonly signal: AbortSignal
  /** Calls back when it ends, unless the function it returns is called before. */
  readonly onEnd: (callback: () => void) => () => void
  readonly end: () => void
}

export const makeEnding = (): Ending => {
  const controller = new AbortController()
  const waiting = new Set<() => void>()
  return {
    signal: controller.signal,
    onEnd: (callback) => {
      waiting.add(callback)
      return () => waiting.delete(callback)
    },
    end: () => {
      controller.abort()
      waiting.forEach((callback) => callback())
      waiting.clear()
    }
  }
}
