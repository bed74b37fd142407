/** What an agent context can be asked for, in plain TypeScript. */

/** How to call. Aborting rejects with `signal.reason` and leaves the context usable. */
export interface CallOptions {
  readonly signal?: AbortSignal
}

/** Why a call was rejected: `_tag` says what happened, `message` what to do. */
export interface AgentContextError extends Error {
  readonly _tag: string
}

/** Who produced a message, and what it covers; `kind` is `user` for what a person typed. The model never sees it. */
export interface MessageSource {
  readonly kind: string
  readonly [key: string]: unknown
}

/** A user-role message, as it is logged and as the model reads it: verbatim. */
export interface ContextMessage {
  readonly id: string
  readonly text: string
  readonly source: MessageSource
}

/** A message as it comes in. `id`: unique in the session, made unless given. `source`: `{ kind: "user" }` unless given. */
export interface NewMessage {
  readonly text: string
  readonly id?: string
  readonly source?: MessageSource
}

/** The step goes ahead: send `messages` to the model, each as an entry of its own, behind what it has seen. */
export interface StepEntered {
  readonly decision: "enter"
  readonly messages: ReadonlyArray<ContextMessage>
}

/**
 * The step does not go ahead, and nothing of it is logged: there is nothing to answer, or `reason` says what is wrong. The messages that
 * were given are dropped; a turn that they began stays open until `endTurn`.
 */
export interface StepNotEntered {
  readonly decision: "reject"
  readonly messages: readonly []
  readonly reason?: AgentContextError
}

/** One finished tool call. */
export interface ToolResult {
  readonly name: string
  /** What the model gave it, as JSON. */
  readonly arguments: unknown
  /** Default `ok`. Only that counts as success. */
  readonly outcome?: "ok" | "error" | "blocked" | "aborted"
  /** Identifies this call; made unless given. */
  readonly token?: string
  /** The token of the call it was made in, when it was. */
  readonly parent?: string
  /** What the model was shown, to be logged. */
  readonly text?: string
}

/** A finding that has cost context but stopped nothing. `path` is absolute. */
export interface Finding {
  readonly tag: string
  readonly message: string
  readonly path?: string
}

/** What became of one thing a supplier has looked at. `path`: absolute for files, else a name. Sizes are bytes. */
export interface ExplainedItem {
  readonly path: string
  readonly outcome: string
  readonly bytes?: number
  readonly renderedBytes?: number
  /** A link leads out of the project; only in the report of a `workspace`. */
  readonly outside?: true
  readonly reason?: string
}

/** What one supplier did at one occasion, and why. */
export interface ExplainedSupplier {
  readonly supplier: string
  readonly occasion: "pre-step" | "projection"
  /** UTF-8 bytes of what it contributed or left waiting. */
  readonly bytes: number
  readonly items: ReadonlyArray<ExplainedItem>
  readonly diagnostics: ReadonlyArray<Finding>
}

/** What a new agent would be told here now, and why. Sizes are bytes. */
export interface ExplainedWorkspace {
  readonly text: string
  readonly bytes: number
  readonly maxBytes: number
  readonly projectRoot: string
  readonly report: ReadonlyArray<ExplainedItem>
  readonly diagnostics: ReadonlyArray<Finding>
}

/** The latest step and every look since. */
export interface Explanation {
  readonly step?: { readonly turn?: number; readonly step: number; readonly decision: "enter" | "reject" }
  readonly suppliers: ReadonlyArray<ExplainedSupplier>
  readonly diagnostics: ReadonlyArray<Finding>
  /** Only when it was asked for, and instructions are on. */
  readonly workspace?: ExplainedWorkspace
}

/** A skill as it is listed. */
export interface SkillSummary {
  readonly name: string
  readonly description: string
  readonly source: string
  readonly path?: string
  readonly invocation: { readonly modelInvocable: boolean; readonly userInvocable: boolean }
}

/** A loaded skill: `text` is what the `skill` tool answers, `content` its instructions alone. */
export interface SkillContent {
  readonly name: string
  readonly provider: string
  readonly content: string
  readonly text: string
}

/** The skills of this agent. */
export interface Skills {
  /** Every skill there is. `complete: false`: there may be more. */
  readonly list: (options?: CallOptions) => Promise<{
    readonly skills: ReadonlyArray<SkillSummary>
    readonly complete: boolean
    readonly diagnostics: ReadonlyArray<Finding>
  }>
  /** What the model's `skill` tool does. Rejects with `SkillUnavailable`, `InvalidSkillName`, `SkillNotModelInvocable` or `SkillTooLarge`. */
  readonly load: (name: string, options?: CallOptions) => Promise<SkillContent>
  /** Adds a skill of the program's own, for this agent, as long as the context lasts. */
  readonly register: (
    skill: { readonly name: string; readonly description: string; readonly content: string },
    options?: CallOptions
  ) => Promise<void>
}

/** What `@` may mean. */
export interface Files {
  /**
   * Candidates for what was typed behind `@`, best first; a newer query of the same `client` interrupts the older one. Rejects with
   * `OutsideWorkspace` when the query leads out.
   */
  readonly list: (
    query: string,
    options?: CallOptions & { readonly limit?: number; readonly client?: string }
  ) => Promise<{
    readonly candidates: ReadonlyArray<{ readonly path: string; readonly kind: "file" | "directory" }>
    /** There is, or may be, more. */
    readonly truncated: boolean
    /** What is wrong with the index: `IndexTruncated`. */
    readonly diagnostics: ReadonlyArray<Finding>
  }>
}

/** A session of the store. `createdAt` is epoch milliseconds. */
export interface SessionOverview {
  readonly id: string
  readonly cwd: string
  readonly title?: string
  readonly createdAt: number
  readonly running: boolean
}

/** The sessions of the store. */
export interface Sessions {
  /** All of them, newest first. */
  readonly list: (options?: CallOptions) => Promise<ReadonlyArray<SessionOverview>>
  /** Those that a message may refer to; insert the `mention` of the one that is chosen. */
  readonly candidates: (
    query: string,
    options?: CallOptions
  ) => Promise<{
    readonly candidates: ReadonlyArray<{ readonly sessionId: string; readonly label: string; readonly mention: string }>
    readonly truncated: boolean
  }>
}

/** An event of the session's log. */
export interface LoggedEvent {
  /** Its place, from 0. */
  readonly seq: number
  /** Epoch milliseconds. */
  readonly at: number
  readonly type: string
  readonly [key: string]: unknown
}

/**
 * The context of one agent. Every method takes a signal and rejects with an `AgentContextError`, with `signal.reason` when that was
 * aborted, and with `AgentContextClosed` once the context is closed.
 */
export interface AgentContext extends AsyncDisposable {
  readonly sessionId: string
  /** Absolute. */
  readonly cwd: string
  /**
   * Before each request: claims what waits, adds what was given, asks what the model should know, and logs it all as a step. Ends
   * the step that is still open. A message opens a turn where none is open and else joins it; nothing at all is the next step of a
   * turn. Rejected or aborted, it drops what was given and leaves its turn open: give it again, or `endTurn`. One at a time: calls at
   * the same time queue up, `endStep` and `endTurn` among them.
   */
  readonly preStep: (
    input?: NewMessage | ReadonlyArray<NewMessage>,
    options?: CallOptions & { readonly decision?: "enter" | "reject" }
  ) => Promise<StepEntered | StepNotEntered>
  /**
   * After each tool: logs call and result, and sees to it that what they touched counts. Looks at the disk behind your back; the
   * signal belongs to that look, too. Resolves to the call's token.
   */
  readonly toolResult: (execution: ToolResult, options?: CallOptions) => Promise<string>
  /** Logs what the model has answered, so that it can be resumed and referred to. */
  readonly assistantMessage: (text: string, options?: CallOptions) => Promise<void>
  /** Logs the end of the open step, if there is one. */
  readonly endStep: (options?: CallOptions) => Promise<void>
  /** Logs the end of the open turn, and of its step: the agent is idle. */
  readonly endTurn: (options?: CallOptions) => Promise<void>
  /** Leaves a message for the next step. */
  readonly post: (message: NewMessage, options?: CallOptions) => Promise<void>
  /** What waits for the next step. */
  readonly pending: (options?: CallOptions) => Promise<ReadonlyArray<ContextMessage>>
  /** Logs that all but the last `keep` (default 0) events were compacted; `text` stands for them. */
  readonly compact: (options?: CallOptions & { readonly keep?: number; readonly text?: string }) => Promise<void>
  /** Resolves when every look behind a tool result is done. */
  readonly settled: (options?: CallOptions) => Promise<void>
  /** What the latest step was told and why; with `workspace`, also what a new agent would be told now. */
  readonly explain: (options?: CallOptions & { readonly workspace?: boolean }) => Promise<Explanation>
  /** What the parts that are on have to say in the system prompt; empty when nothing. */
  readonly systemPrompt: (options?: CallOptions) => Promise<string>
  /** The whole log. */
  readonly log: (options?: CallOptions) => Promise<ReadonlyArray<LoggedEvent>>
  /** What the model can still see of it: the conversation to send after a resume. */
  readonly surface: (options?: CallOptions) => Promise<ReadonlyArray<LoggedEvent>>
  readonly skills: Skills
  readonly files: Files
  readonly sessions: Sessions
  /** Ends every call and everything that is open. Again: the same promise. */
  readonly close: () => Promise<void>
}
