/** The skill registry of dsh with its provider of skills on disk, mounted as its own harness mounts them, without a watcher. */
import { Context } from "@deepseek-ai/cordis"
import SkillRegistry from "@deepseek-ai/dsh-skill"
import * as SkillFilesystem from "@deepseek-ai/dsh-skill-filesystem"
import * as path from "node:path"

export interface Mounted {
  readonly list: (cwd: string) => Promise<ReadonlyArray<{ readonly name: string }>>
}

export const mount = async (home: string): Promise<Mounted> => {
  const ctx = new Context()
  await ctx.plugin(SkillRegistry)
  await ctx.plugin(SkillFilesystem, {
    dshHome: path.join(home, ".dsh"),
    agentsHome: path.join(home, ".agents"),
    watch: false
  })
  return { list: (cwd) => ctx.skills.list({ cwd }) }
}
