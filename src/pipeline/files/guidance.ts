/** What the model is told about `@` paths (F-6). */

/** The name of the system-prompt section. */
export const guidanceName = "file references"

const guidance =
  "A path that begins with @ in a user's message is the user's reference to a file or directory of the workspace; only the path is given, not the content. " +
  "Read it with the read tool when its content is needed, and never claim to have read it before you have done so."

/** The section's text while the agent has a `read` tool; `undefined` without one. `tools` as `AgentTools` answers. */
export const fileReferenceGuidance = (tools: ReadonlySet<string> | undefined): string | undefined =>
  (tools?.has("read") ?? true) ? guidance : undefined
