/** A loaded skill as the model reads it, from the `skill` tool and from a user's call alike (S-43). */
import type { SkillDefinition, SkillResourceBase } from "../../schemas/Skill.ts"
import { escapeAttribute, escapeBody, escapeLine } from "./escape.ts"

/** What of a skill is rendered. */
export type RenderedSkill = Pick<SkillDefinition, "name" | "content" | "resourceBase" | "files">

const baseLine = (base: SkillResourceBase): string => {
  switch (base.kind) {
    case "directory":
      return `Base directory: ${escapeLine(base.path)}`
    case "url":
      return `Base URL: ${escapeLine(base.url)}`
    case "opaque":
      return `Resources: ${escapeLine(base.description)}`
  }
}

const resources = ({ files, resourceBase }: RenderedSkill): ReadonlyArray<string> => {
  if (resourceBase === undefined) return []
  const listed = [
    ...(files?.paths.map((path) => `- ${escapeLine(path)}`) ?? []),
    ...(files?.truncated === true ? ["- … and more"] : [])
  ]
  return [
    "<skill_resources>",
    baseLine(resourceBase),
    resourceBase.kind === "opaque"
      ? "Load what the instructions refer to only when it is needed."
      : "References in the instructions are relative to it. Load what they refer to only when it is needed.",
    ...(listed.length === 0 ? [] : ["Files:", ...listed]),
    "</skill_resources>"
  ]
}

/** Line breaks around the body are those of the frame. */
const trimLines = (text: string): string => text.replace(/^(?:[ \t]*\n)+/, "").trimEnd()

/** The `<skill_content>` of a skill. Nothing in it can close it. */
export const renderSkill = (skill: RenderedSkill): string =>
  [
    `<skill_content name="${escapeAttribute(skill.name)}">`,
    ...resources(skill),
    "<skill_instructions>",
    trimLines(escapeBody(skill.content)),
    "</skill_instructions>",
    "</skill_content>"
  ].join("\n")
