/** What the model sees, replayed from the log alone, and what may never be in a log. Independent of `src`. */
import { keyOf, type Told } from "./disk.ts"

interface Change {
  readonly action: "set" | "replace" | "remove"
  readonly scope: { readonly owner: string; readonly directory: string; readonly slot: string }
  readonly path: string
  readonly digest?: string
}

export interface Source {
  readonly kind: string
  readonly baseline?: boolean
  readonly baselineIdentity?: string
  readonly changes: ReadonlyArray<Change>
}

export interface Event {
  readonly seq: number
  readonly type: string
  readonly [key: string]: unknown
}

interface Message {
  readonly id: string
  readonly text: string
  readonly source: Source
}

const isOwn = (message: Message): boolean => message.source.kind === "agent-instructions"

/** The view of a growing log. `wrong` collects what may never happen. */
export class View {
  readonly wrong: Array<string> = []
  live = new Map<string, Told>()
  identity: string | undefined
  #visible: Array<{ readonly seq: number; readonly message: Message }> = []
  #ids = new Set<string>()
  #waiting = new Set<string>()
  #next = 0
  readonly #absentNow: (key: string) => boolean

  /** `absentNow`: whether the scope has had no file at some moment since the last step. */
  constructor(absentNow: (key: string) => boolean) {
    this.#absentNow = absentNow
  }

  add(event: Event, maxBytes: number): void {
    if (event.seq !== this.#next) this.wrong.push(`event ${this.#next} is numbered ${event.seq}`)
    this.#next = event.seq + 1
    if (event.type === "user/message") this.#message(event.seq, event["message"] as Message, maxBytes)
    if (event.type === "compaction/checkpoint") {
      const from = event["keptFrom"] as number
      this.#visible = this.#visible.filter(({ seq }) => seq >= from)
      this.live = new Map()
      this.identity = undefined
      for (const { message } of this.#visible) this.#apply(message)
    }
    this.#inbox(event)
  }

  #inbox(event: Event): void {
    const message = event["message"] as Message | undefined
    const id = event["id"] as string
    if (event.type === "inbox/removed") this.#waiting.delete(id)
    if (event.type === "inbox/inserted" && isOwn(message!)) this.#waiting.add(message!.id)
    if (event.type === "inbox/replaced" && isOwn(message!) && (id !== message!.id || this.#waiting.has(id))) {
      this.#waiting.delete(id)
      this.#waiting.add(message!.id)
    }
    if (event.type === "user/message") this.#waiting.delete(message!.id)
    if (this.#waiting.size > 1) this.wrong.push(`${this.#waiting.size} instruction messages wait`)
  }

  #message(seq: number, message: Message, maxBytes: number): void {
    if (this.#ids.has(message.id)) this.wrong.push(`${message.id} was logged twice`)
    this.#ids.add(message.id)
    if (!isOwn(message)) return
    const { baseline, changes } = message.source
    const bytes = Buffer.byteLength(message.text)
    if (bytes > maxBytes) this.wrong.push(`${message.id} has ${bytes} bytes, more than ${maxBytes}`)
    if (!message.text.startsWith("<system-reminder>\n") || !message.text.endsWith("</system-reminder>"))
      this.wrong.push(`${message.id} is not framed`)
    if (baseline !== true && changes.length === 0) this.wrong.push(`${message.id} says nothing`)
    for (const change of changes) {
      const key = keyOf(change.scope)
      const known = this.live.get(key) ?? this.#sharing(key, change.path).at(0)?.[1]
      const implied = baseline === true && change.action === "remove"
      if (!implied && !message.text.includes(change.path)) this.wrong.push(`${message.id} does not show ${change.path}`)
      if (change.action === "remove") {
        if (known === undefined) this.wrong.push(`${key} was withdrawn without being told`)
        const forRoom = message.text.includes("no longer fits")
        if (baseline !== true && !forRoom && !this.#absentNow(key))
          this.wrong.push(`${key} was withdrawn although its file was there`)
      } else if (baseline !== true && known?.digest === change.digest && known?.path === change.path) {
        this.wrong.push(`${key} was told twice`)
      }
      if (change.action === "replace" && known === undefined) this.wrong.push(`${key} was replaced without being told`)
    }
    const supersedes = this.identity !== undefined && this.identity !== message.source.baselineIdentity
    if (
      supersedes &&
      baseline === true &&
      !/replace all workspace instructions|No workspace instructions are active/.test(message.text)
    )
      this.wrong.push(`${message.id} does not say that it replaces the earlier baseline`)
    if (baseline === true && this.identity !== undefined && this.identity === message.source.baselineIdentity)
      this.wrong.push("a visible baseline was repeated")
    this.#visible.push({ seq, message })
    this.#apply(message)
  }

  /** The same file, told under the slot of another configuration. */
  #sharing(key: string, path: string): ReadonlyArray<readonly [string, Told]> {
    const owner = key.split("|")[0]
    return [...this.live].filter(
      ([other, told]) => other !== key && other.split("|")[0] === owner && told.path === path
    )
  }

  #apply({ source, text }: Message): void {
    if (!isOwn({ id: "", source, text })) return
    if (source.baseline === true) {
      // What a message says it replaces is replaced, whether or not the earlier baseline is still visible.
      const supersedes = /replace all workspace instructions|No workspace instructions are active/.test(text)
      // What cannot be read is named and stays; everything else of before is gone.
      if (supersedes) {
        for (const [key, told] of this.live)
          if (!["unavailable", "kept"].some((word) => text.includes(`Instructions ${word}: ${told.path}\n`)))
            this.live.delete(key)
      }
      this.identity = source.baselineIdentity
    }
    for (const { action, digest, path, scope } of source.changes) {
      for (const [other] of this.#sharing(keyOf(scope), path)) this.live.delete(other)
      if (action === "remove") this.live.delete(keyOf(scope))
      else this.live.set(keyOf(scope), { path, digest: digest! })
    }
  }
}
