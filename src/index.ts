/**
 * Every public face under its name; import a face by its own path where start-up matters.
 *
 * **Example**
 *
 * ```ts
 * import { FileReferences } from "effect-agent-context"
 *
 * console.log(FileReferences.formatMention({ path: "docs/a page.md", kind: "file" })) // => @"docs/a page.md"
 * ```
 */
export * as AgentInstructions from "./AgentInstructions.ts"
export * as ConfinedFileSystem from "./ConfinedFileSystem.ts"
export * as ContextSupply from "./ContextSupply.ts"
export * as Diagnostic from "./Diagnostic.ts"
export * as FileReferences from "./FileReferences.ts"
export * as Inbox from "./Inbox.ts"
export * as Session from "./Session.ts"
export * as SessionReferences from "./SessionReferences.ts"
export * as SessionStore from "./SessionStore.ts"
export * as SkillCatalog from "./SkillCatalog.ts"
export * as SkillRegistry from "./SkillRegistry.ts"
export * as SkillsFileSystem from "./SkillsFileSystem.ts"
export * as SystemPrompt from "./SystemPrompt.ts"
export * as TimeContext from "./TimeContext.ts"
export * as TmuxContext from "./TmuxContext.ts"
