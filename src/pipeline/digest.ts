/** Content identity. */
import { hash } from "node:crypto"

/** SHA-1 over the UTF-8 of `text`, lower-case hexadecimal. An identity, not a safeguard against forgery. */
export const sha1 = (text: string): string => hash("sha1", text)
