/**
 * File names for session ids.
 *
 * Two ids never share a name, not even where file systems ignore letter case or normalise Unicode, and no id can leave
 * its directory, hide itself or hit a name that a platform reserves.
 */

const plain = /^[a-z0-9_.-]$/
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/
/** Bytes of an encoded id that stay before its name is cut; leaves room for suffixes in the usual 255. */
const maxLength = 160

/** The bytes of UTF-8, with a lone surrogate as the three bytes it would have: such ids are legal strings too. */
const bytesOf = (codePoint: number): ReadonlyArray<number> => {
  const tail = (shift: number) => 0x80 | ((codePoint >> shift) & 0x3f)
  if (codePoint < 0x80) return [codePoint]
  if (codePoint < 0x800) return [0xc0 | (codePoint >> 6), tail(0)]
  if (codePoint < 0x1_0000) return [0xe0 | (codePoint >> 12), tail(6), tail(0)]
  return [0xf0 | (codePoint >> 18), tail(12), tail(6), tail(0)]
}

const escaped = (char: string): string =>
  bytesOf(char.codePointAt(0)!)
    .map((byte) => `%${byte.toString(16).padStart(2, "0")}`)
    .join("")

/** FNV-1a over UTF-16 code units, 64 bits. It tells long ids apart; the header inside the file has the last word. */
const fingerprint = (text: string): string => {
  let hash = 0xcbf29ce484222325n
  for (let index = 0; index < text.length; index++) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(index))) * 0x100000001b3n)
  }
  return hash.toString(16).padStart(16, "0")
}

/**
 * The name of a session's file, without directory and extension: lower-case letters, digits, `_`, `-` and inner dots
 * stay, everything else is escaped as `%xx` per UTF-8 byte. A name that gets too long ends in `~` and a hash of the
 * whole id.
 */
export const sessionFileName = (id: string): string => {
  let name = ""
  for (const char of id) name += plain.test(char) && !(char === "." && name === "") ? char : escaped(char)
  if (reserved.test(name)) name = escaped(name[0]!) + name.slice(1)
  if (name.length <= maxLength) return name
  return `${name.slice(0, maxLength - 40).replace(/%.?$/, "")}~${fingerprint(id)}`
}
