/** Complete snapshots, each true for one revision; the least recently used gives way (S-5). */
import type { SkillSnapshot } from "../../schemas/Skill.ts"

const capacity = 128

export const makeSnapshots = () => {
  const known = new Map<string, { readonly revision: number; readonly snapshot: SkillSnapshot }>()
  return {
    get: (key: string, revision: number): SkillSnapshot | undefined => {
      const entry = known.get(key)
      if (entry === undefined) return undefined
      known.delete(key)
      if (entry.revision !== revision) return undefined
      known.set(key, entry)
      return entry.snapshot
    },
    set: (key: string, revision: number, snapshot: SkillSnapshot): void => {
      known.delete(key)
      known.set(key, { revision, snapshot })
      const [oldest] = known.keys()
      if (known.size > capacity && oldest !== undefined) known.delete(oldest)
    }
  }
}
