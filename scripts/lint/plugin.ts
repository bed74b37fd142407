/** Rules of this house that no ready-made lint rule can express. Loaded by the linter through `.oxlintrc.json`. */
import * as fs from "node:fs"
import * as path from "node:path"
import { importProblem, onlyReexports } from "./directions.ts"

/** The part of the linter's plugin interface that is used here. */
interface Node {
  readonly type: string
  readonly async?: boolean
  readonly generator?: boolean
  readonly source?: { readonly type: string; readonly value?: unknown } | null
  readonly body?: ReadonlyArray<Node>
}
interface Context {
  readonly cwd: string
  readonly filename: string
  readonly report: (problem: { readonly node: Node; readonly message: string }) => void
}

const fileInSrc = (context: Context): string =>
  path.relative(path.join(context.cwd, "src"), context.filename).split(path.sep).join("/")

const manifest: {
  readonly dependencies?: Record<string, string>
  readonly peerDependencies?: Record<string, string>
} = JSON.parse(fs.readFileSync(path.join(import.meta.dirname, "../../package.json"), "utf8"))

const dependencies = new Set(Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }))

const imports = {
  create: (context: Context) => {
    const from = fileInSrc(context)
    const check = (node: Node) => {
      if (typeof node.source?.value !== "string") return
      const message = importProblem(from, node.source.value, dependencies)
      if (message !== undefined) context.report({ node, message })
    }
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
      TSImportType: check
    }
  }
}

const faces = {
  create: (context: Context) => ({
    Program: (program: Node) => {
      if (!onlyReexports(fileInSrc(context))) return
      for (const node of program.body ?? []) {
        const reexports = node.source && node.type !== "ImportDeclaration"
        if (!reexports) context.report({ node, message: "a public face only re-exports: write `export … from`" })
      }
    }
  })
}

/** `try` does not catch what an Effect fails with, and promises belong to the promise door. */
const effects = {
  create: (context: Context) => {
    const functions: Array<Node> = []
    const enter = (node: Node) => {
      functions.push(node)
      if (node.async) context.report({ node, message: "only the promise door has async functions" })
    }
    const leave = () => {
      functions.pop()
    }
    return {
      FunctionDeclaration: enter,
      "FunctionDeclaration:exit": leave,
      FunctionExpression: enter,
      "FunctionExpression:exit": leave,
      ArrowFunctionExpression: enter,
      "ArrowFunctionExpression:exit": leave,
      TryStatement: (node: Node) => {
        if (functions.at(-1)?.generator) context.report({ node, message: "`try` does not catch failures of an Effect" })
      }
    }
  }
}

export default { meta: { name: "house" }, rules: { imports, faces, effects } }
