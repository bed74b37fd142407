/** `@deepseek-ai/dsh-agent-instructions`, called as its own plugin calls it. */
import { loadBaselineInstructions, renderWorkspaceContext } from "@deepseek-ai/dsh-agent-instructions"
import * as path from "node:path"

export const load = async (cwd: string, home: string, maxBytes: number): Promise<string> => {
  const loaded = await loadBaselineInstructions({ cwd, dshHome: path.join(home, ".dsh"), maxBytes })
  return loaded?.text ?? ""
}

export interface File {
  readonly absolutePath: string
  readonly displayPath: string
  readonly content: string
}

export const render = (files: ReadonlyArray<File>, maxBytes: number): string =>
  renderWorkspaceContext([...files], { maxBytes }).text
