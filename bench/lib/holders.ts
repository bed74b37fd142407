/** Searches over a workspace of files, each to be held in a process of its own whose memory is looked at. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as FileReferences from "../../src/FileReferences.ts"
import * as AgentContextNode from "../../src/node.ts"
import { layer as fastReader } from "../../src/node/fastReader.ts"
import * as peers from "../peers/files.ts"

const ours = (cwd: string): peers.Searcher => {
  const references = FileReferences.layerWorkspace({ cwd, maxEntries: 1_000_000 })
  const runtime = ManagedRuntime.make(
    Layer.provide(references, Layer.merge(AgentContextNode.layerFileSystem, fastReader))
  )
  return {
    search: (query) =>
      runtime.runPromise(
        Effect.map(
          FileReferences.FileReferences.use((service) => service.list(query)),
          ({ candidates }) => candidates.map(({ path }) => path)
        )
      )
  }
}

/** By name, what makes a search of a directory. */
export const holders: Readonly<Record<string, (root: string) => peers.Searcher | Promise<peers.Searcher>>> = {
  ours,
  dsh: peers.dsh,
  gemini: peers.gemini
}
