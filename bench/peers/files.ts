/** What searches the paths of a workspace elsewhere. Every one of them holds as many entries as there are. */
import { WorkspaceFileSearch } from "@deepseek-ai/dsh-file-reference-local"
import { FileDiscoveryService } from "@google/gemini-cli-core/dist/src/services/fileDiscoveryService.js"
import { FileSearchFactory } from "@google/gemini-cli-core/dist/src/utils/filesearch/fileSearch.js"

/** A search that is ready to be asked. */
export interface Searcher {
  readonly search: (query: string) => Promise<ReadonlyArray<string>>
}

const forever = new AbortController().signal

/** The first search builds its index; it knows no ignore files. */
export const dsh = (root: string): Searcher => {
  const index = new WorkspaceFileSearch(root, {
    maxResults: 20,
    maxEntries: 1_000_000,
    excludedDirectories: [".git", "node_modules"]
  })
  return {
    search: async (query) => (await index.list(query, forever)).map(({ path }: { readonly path: string }) => path)
  }
}

export const gemini = async (root: string): Promise<Searcher> => {
  const index = FileSearchFactory.create({
    projectRoot: root,
    ignoreDirs: [],
    fileDiscoveryService: new FileDiscoveryService(root, { respectGitIgnore: true, respectGeminiIgnore: false }),
    cache: false,
    cacheTtl: 0,
    enableRecursiveFileSearch: true,
    enableFuzzySearch: true,
    maxFiles: 1_000_000
  })
  await index.initialize()
  return { search: (query) => index.search(query, { maxResults: 20 }) }
}
