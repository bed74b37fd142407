/** Many questions, most of which need not be asked. */
import * as Effect from "effect/Effect"

/** What `atOnce` answers when it does not know. */
export const unknown = Symbol("unknown")

/**
 * Answers for all items, in their order: at once where that can be, else by asking, a few at a time. A thousand effects that only
 * succeed would take longer than the questions do.
 */
export const forEachUnknown = <A, B>(
  items: ReadonlyArray<A>,
  atOnce: (item: A, index: number) => B | typeof unknown,
  ask: (item: A, index: number) => Effect.Effect<B>,
  concurrency: number
): Effect.Effect<ReadonlyArray<B>> =>
  Effect.suspend(() => {
    const answers = items.map(atOnce)
    const open: Array<number> = []
    for (let index = 0; index < answers.length; index++) if (answers[index] === unknown) open.push(index)
    if (open.length === 0) return Effect.succeed(answers as ReadonlyArray<B>)
    const settle = (index: number) =>
      Effect.map(ask(items[index]!, index), (answer) => {
        answers[index] = answer
      })
    return Effect.as(Effect.forEach(open, settle, { concurrency, discard: true }), answers as ReadonlyArray<B>)
  })
