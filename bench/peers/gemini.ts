/** The memory discovery of `@google/gemini-cli-core`, told to look for the same names. It knows no budget. */

// Read when its modules are loaded. The command throws its debug lines away too.
process.env["NODE_ENV"] = "test"
console.debug = () => {}

const memory = await import("@google/gemini-cli-core/dist/src/utils/memoryDiscovery.js")
const { setGeminiMdFilename } = await import("@google/gemini-cli-core/dist/src/tools/memoryTool.js")

setGeminiMdFilename(["AGENTS.md", "CLAUDE.md"])

export const load = async (cwd: string): Promise<string> => {
  const [user, project] = await Promise.all([memory.getGlobalMemoryPaths(), memory.getEnvironmentMemoryPaths([cwd])])
  return memory.concatenateInstructions(await memory.readGeminiMdFiles([...user, ...project]))
}

/** Loads what a touched file brings into play; how many files that was. */
export const touch = async (file: string, root: string): Promise<number> => {
  const { files } = await memory.loadJitSubdirectoryMemory(file, [root], new Set())
  return files.length
}

/** The same once everything is loaded. */
export const retouch = async (file: string, root: string): Promise<() => Promise<unknown>> => {
  const all = await memory.loadJitSubdirectoryMemory(file, [root], new Set())
  const loaded = new Set(all.files.map((entry) => entry.path))
  const identities = new Set(all.fileIdentities)
  return () => memory.loadJitSubdirectoryMemory(file, [root], loaded, identities)
}
