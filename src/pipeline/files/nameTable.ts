/** The names of an index, as they are compared and as the disk spells them. */
import { type Codes, FlatTexts, SparseTexts } from "./flatTexts.ts"

// oxlint-disable-next-line no-control-regex
const plainText = /^[\u0000-\u007f]*$/

/** `name` as it is compared: composed (NFC). */
export const composed = (text: string): string => (plainText.test(text) ? text : text.normalize("NFC"))

/** `name` as it is compared where case does not count. */
export const folded = (text: string): string => composed(text).toLowerCase()

const otherLetter = 1 << 29

const bitOf = Int32Array.from({ length: 128 }, (_, code) => {
  if (code >= 97 && code <= 122) return 1 << (code - 97)
  if (code >= 48 && code <= 57) return 0
  if (code === 46) return 1 << 27
  return code === 45 || code === 95 ? 1 << 28 : otherLetter
})

/** Which digits a text has, a bit for each. */
export const digitsOf = (text: string): number => {
  let digits = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code >= 48 && code <= 57) digits |= 1 << (code - 48)
  }
  return digits
}

/** Which letters a folded text has, digits apart: it can only hold another one that has no letter more. */
export const lettersOf = (text: string): number => {
  let letters = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    letters |= code < 128 ? bitOf[code]! : otherLetter
  }
  return letters
}

/** Names to be searched. Only those that are spelled in another way than they are compared take room for that as well. */
export class NameTable {
  readonly #folded = new FlatTexts()
  readonly #cased = new SparseTexts()
  readonly #spelled = new SparseTexts()
  #size = 0

  /** Adds a name, and returns the letters it has. */
  add(name: string): number {
    const cased = composed(name)
    const text = cased.toLowerCase()
    this.#folded.push(text)
    if (cased !== text) this.#cased.push(this.#size, cased)
    if (name !== cased) this.#spelled.push(this.#size, name)
    this.#size++
    return lettersOf(text)
  }

  /** A name as on the disk. */
  name(at: number): string {
    return this.#spelled.text(at) ?? this.#cased.text(at) ?? this.#folded.text(at)
  }

  /** Tells whether a name is the one that is looked for. */
  finder(name: string): (at: number) => boolean {
    const text = folded(name)
    return (at) => this.#folded.is(at, text) && this.name(at) === name
  }

  /** Reads names as they are compared, when case counts and when it does not. */
  reader(cased: boolean): NameReader {
    return new NameReader(this.#folded, cased ? this.#cased : new SparseTexts())
  }

  /** Leaves out the names that are not to be kept; those behind them move up. */
  keep(kept: (at: number) => boolean): void {
    const moved = (at: number): number => (kept(at) ? places[at]! : -1)
    const places = new Int32Array(this.#size)
    let size = 0
    for (let at = 0; at < this.#size; at++) places[at] = kept(at) ? size++ : size
    this.#folded.keep(kept)
    this.#cased.keep(moved)
    this.#spelled.keep(moved)
    this.#size = size
  }

  /** Gives back the room that nothing has been put into. */
  trim(): void {
    for (const texts of [this.#folded, this.#cased, this.#spelled]) texts.trim()
  }
}

/** One name after the other, front to back. The one that was read is `codes` from `from` up to, not including, `end`. */
export class NameReader {
  codes: Codes
  from = 0
  end = 0
  readonly #codes: Codes
  readonly #starts: Int32Array
  readonly #cased: SparseTexts
  #next = 0
  /** Up to this name, not including it, all are read as they are folded. */
  #nextCased: number

  constructor(folded: FlatTexts, cased: SparseTexts) {
    this.#codes = folded.codes
    this.#starts = folded.starts
    this.codes = folded.codes
    this.#cased = cased
    this.#nextCased = cased.place(0)
  }

  read(at: number): void {
    if (at >= this.#nextCased) return this.#readCased(at)
    this.from = this.#starts[at]!
    this.end = this.#starts[at + 1]!
  }

  #readCased(at: number): void {
    const cased = this.#cased
    while (cased.place(this.#next) < at) this.#next++
    const isCased = cased.place(this.#next) === at
    const starts = isCased ? cased.texts.starts : this.#starts
    const place = isCased ? this.#next++ : at
    this.codes = isCased ? cased.texts.codes : this.#codes
    this.from = starts[place]!
    this.end = starts[place + 1]!
    // Unless the next one is another of them, the folded codes have to come back first.
    this.#nextCased = isCased ? at + 1 : cased.place(this.#next)
  }
}
