/** Texts one behind the other in one array: a scan of all of them touches memory in order, and keeps no string for any. */

/** Code units: bytes, until one does not fit. */
export type Codes = Uint8Array | Uint16Array

export const codesOf = (text: string): Uint16Array =>
  Uint16Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))

type Column = Uint8Array | Uint16Array | Int32Array

/** `column` with room for `size` elements, and for half as many more if it had to grow. */
export const withRoom = <A extends Column>(column: A, size: number): A =>
  size <= column.length ? column : resized(column, size + (size >> 1))

/** `column` with exactly `size` elements. */
export const resized = <A extends Column>(column: A, size: number): A => {
  const other = new (column.constructor as new (size: number) => A)(size)
  other.set(column.length > size ? column.subarray(0, size) : column)
  return other
}

/** So many arguments a call may have for certain. */
const longest = 4096

export class FlatTexts {
  #codes: Codes = new Uint8Array(1024)
  #starts = new Int32Array(256)
  #size = 0

  /** The code units of all texts. */
  get codes(): Codes {
    return this.#codes
  }

  /** Where a text begins; the one behind it begins where it ends. */
  get starts(): Int32Array {
    return this.#starts
  }

  push(text: string): void {
    const start = this.#starts[this.#size]!
    const end = start + text.length
    this.#codes = withRoom(this.#codes, end)
    this.#starts = withRoom(this.#starts, this.#size + 2)
    let all = 0
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      this.#codes[start + at] = code
      all |= code
    }
    if (all > 255 && this.#codes instanceof Uint8Array) {
      this.#codes = new Uint16Array(this.#codes)
      for (let at = 0; at < text.length; at++) this.#codes[start + at] = text.charCodeAt(at)
    }
    this.#starts[++this.#size] = end
  }

  text(at: number): string {
    const end = this.#starts[at + 1]!
    let text = ""
    for (let from = this.#starts[at]!; from < end; from += longest) {
      text += String.fromCharCode.apply(null, this.#codes.subarray(from, Math.min(end, from + longest)) as never)
    }
    return text
  }

  /** Whether the text at `at` is this one. */
  is(at: number, text: string): boolean {
    const start = this.#starts[at]!
    if (this.#starts[at + 1]! - start !== text.length) return false
    for (let from = 0; from < text.length; from++) {
      if (this.#codes[start + from] !== text.charCodeAt(from)) return false
    }
    return true
  }

  /** Leaves out the texts that are not to be kept; those behind them move up. */
  keep(kept: (at: number) => boolean): void {
    const size = this.#size
    let start = 0
    this.#size = 0
    for (let at = 0; at < size; at++) {
      const next = this.#starts[at]!
      const end = this.#starts[at + 1]!
      if (!kept(at)) continue
      this.#codes.copyWithin(start, next, end)
      start += end - next
      this.#starts[++this.#size] = start
    }
  }

  /** Gives back the room that nothing has been put into. */
  trim(): void {
    this.#codes = resized(this.#codes, this.#starts[this.#size]!)
    this.#starts = resized(this.#starts, this.#size + 1)
  }
}

/** Texts at some of many places. */
export class SparseTexts {
  readonly texts = new FlatTexts()
  #places = new Int32Array(16)
  #size = 0

  /** The place of a text, in order; behind all places if there are not as many. */
  place(at: number): number {
    return at < this.#size ? this.#places[at]! : Infinity
  }

  /** Adds a text behind all others. */
  push(place: number, text: string): void {
    this.texts.push(text)
    this.#places = withRoom(this.#places, this.#size + 1)
    this.#places[this.#size++] = place
  }

  text(place: number): string | undefined {
    let low = 0
    let high = this.#size
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#places[middle]! < place) low = middle + 1
      else high = middle
    }
    return low < this.#size && this.#places[low] === place ? this.texts.text(low) : undefined
  }

  /** Moves every text to another place in the same order, and leaves out those that get none: -1. */
  keep(moved: (place: number) => number): void {
    const places = this.#places.subarray(0, this.#size).map(moved)
    this.texts.keep((at) => places[at]! >= 0)
    this.#places = places.filter((place) => place >= 0)
    this.#size = this.#places.length
  }

  /** Gives back the room that nothing has been put into. */
  trim(): void {
    this.texts.trim()
    this.#places = resized(this.#places, this.#size)
  }
}
