/**
 * Names as they are compared, one behind the other in one flat array: a scan of all of them touches memory in order, and
 * keeps no string for any.
 */

// oxlint-disable-next-line no-control-regex
const plainText = /^[\u0000-\u007f]*$/

/** `name` as it is compared: composed (NFC). */
export const composed = (text: string): string => (plainText.test(text) ? text : text.normalize("NFC"))

const otherLetter = 1 << 29

const bitOf = Int32Array.from({ length: 128 }, (_, code) => {
  if (code >= 97 && code <= 122) return 1 << (code - 97)
  if (code >= 65 && code <= 90) return 1 << (code - 65)
  if (code >= 48 && code <= 57) return 1 << 26
  if (code === 46) return 1 << 27
  return code === 45 || code === 95 ? 1 << 28 : otherLetter
})

/** Which letters a composed text has when it is folded: it can only hold another one that has no letter more. */
export const lettersOf = (given: string): number => {
  const letters = lettersIn(given)
  // Some letters fold to others that are in the alphabet.
  return (letters & otherLetter) === 0 || plainText.test(given) ? letters : lettersIn(composed(given).toLowerCase())
}

const lettersIn = (text: string): number => {
  let letters = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    letters |= code < 128 ? bitOf[code]! : otherLetter
  }
  return letters
}

const roomFor = <A extends Int32Array | Uint16Array>(array: A, size: number, make: (size: number) => A): A => {
  if (size <= array.length) return array
  const larger = make(Math.max(size, 2 * array.length))
  larger.set(array as never)
  return larger
}

/** Composed names; `folded`: to lower case, too. */
export class NameTable {
  /** The code units of all names. */
  codes = new Uint16Array(1024)
  /** Where a name begins; the one behind it begins where it ends. */
  starts = new Int32Array(256)
  readonly #folded: boolean
  #size = 0

  constructor(folded: boolean) {
    this.#folded = folded
  }

  /** Adds what is new in `names`. */
  follow(names: ReadonlyArray<string>): this {
    this.starts = roomFor(this.starts, names.length + 1, (size) => new Int32Array(size))
    for (let at = this.#size; at < names.length; at++) this.#append(names[at]!, at)
    this.#size = names.length
    return this
  }

  #append(given: string, at: number): void {
    const start = this.starts[at]!
    this.codes = roomFor(this.codes, start + given.length, (size) => new Uint16Array(size))
    const { codes } = this
    for (let from = 0; from < given.length; from++) {
      const code = given.charCodeAt(from)
      if (code > 127) return this.#appendOther(this.#folded ? composed(given).toLowerCase() : composed(given), at)
      codes[start + from] = this.#folded && code >= 65 && code <= 90 ? code + 32 : code
    }
    this.starts[at + 1] = start + given.length
  }

  #appendOther(name: string, at: number): void {
    const start = this.starts[at]!
    this.codes = roomFor(this.codes, start + name.length, (size) => new Uint16Array(size))
    for (let from = 0; from < name.length; from++) this.codes[start + from] = name.charCodeAt(from)
    this.starts[at + 1] = start + name.length
  }
}
