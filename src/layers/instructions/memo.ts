/** What is on disk, per session: never what was told, never a text, never logged (I-52). */

/** The content a version of a file was found to have. */
export interface Known {
  readonly version: string
  /** Whether an equal version proves equal content. */
  readonly trusted: boolean
  readonly digest: string
  readonly trimmedDigest: string
  /** UTF-8 bytes of the decoded text. */
  readonly bytes: number
}

/** By absolute path of the candidate. */
export type Memo = Map<string, Known>
