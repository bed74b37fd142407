/** Reads what the package exports from its sources, with the compiler: names, declarations, types and docs. */
import * as fs from "node:fs"
import * as path from "node:path"
import * as ast from "typescript/unstable/ast/is"
import type { ArrowFunction, Node, VariableDeclaration } from "typescript/unstable/ast"
import * as ts from "typescript/unstable/sync"

export type Kind =
  | "service"
  | "error"
  | "class"
  | "schema"
  | "layer"
  | "function"
  | "constant"
  | "interface"
  | "type"
  | "namespace"

export interface Export {
  readonly name: string
  readonly kind: Kind
  /** The docstring, without its comment signs; empty when there is none. */
  readonly doc: string
  /** TypeScript; not formatted. Empty for a namespace. */
  readonly signature: string
  /** What a namespace holds. */
  readonly members: ReadonlyArray<Export>
  /** Where it is declared. The same thing can be exported by several entries. */
  readonly origin: string
}

export interface Entry {
  readonly specifier: string
  readonly doc: string
  readonly exports: ReadonlyArray<Export>
}

const root = path.join(import.meta.dirname, "../..")

const uncommented = (comment: string): string =>
  comment
    .replace(/^\/\*\*/, "")
    .replace(/\*\/$/, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, "").trimEnd())
    .join("\n")
    .trim()

/** The first comment of a file is about the module, not about what happens to come first in it. */
const headerOf = (source: string): string => uncommented(/^\/\*\*[^]*?\*\//.exec(source)?.[0] ?? "")

const leading = (node: Node): string => {
  const { text } = node.getSourceFile()
  const comments = [...text.slice(node.pos, node.getStart()).matchAll(/\/\*\*[^]*?\*\//g)]
  const last = comments.at(-1)
  return last === undefined || node.pos + last.index === 0 ? "" : uncommented(last[0])
}

const sourceOf = (node: Node): string => node.getSourceFile().text.slice(node.getStart(), node.end)

const flags = ts.NodeBuilderFlags.NoTruncation | ts.NodeBuilderFlags.UseAliasDefinedOutsideCurrentScope

/** `import("./x.ts").Name` is how the compiler names what a file does not import; a reader knows it as `Name`. */
const withoutImports = (type: string): string =>
  type.replaceAll(/import\("[^"]*\/([^"/]+)"\)\./g, (_, module: string) => (module === "Schema" ? "Schema." : ""))

const lowerFirst = (name: string): string => `${name.charAt(0).toLowerCase()}${name.slice(1)}`

/** As a declaration has it: what a function takes apart, and what it takes when nothing is given, is its own affair. */
const parametersOf = ({ parameters }: ArrowFunction): string =>
  parameters
    .map((parameter) => {
      const type = parameter.type === undefined ? "unknown" : sourceOf(parameter.type)
      const given = sourceOf(parameter.name)
      const name = property.test(given) ? given : lowerFirst(/^\w+/.exec(type)?.[0] ?? "options")
      const optional = parameter.questionToken !== undefined || parameter.initializer !== undefined
      return `${parameter.dotDotDotToken === undefined ? "" : "..."}${name}${optional ? "?" : ""}: ${type}`
    })
    .join(", ")

/** The compiler's spelling of an optional parameter says so twice, and it makes a name up for what is taken apart. */
const tidied = (type: string): string =>
  type
    .replaceAll(/args_\d+(\??): (\w+)/g, (_, optional: string, name: string) => {
      return `${lowerFirst(name)}${optional}: ${name}`
    })
    .replaceAll(/(\w+\?: [\w.]+) \| undefined(?=[,)])/g, "$1")

const property = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u

class Reader {
  readonly #checker: ts.Checker
  readonly #spellings = new Map<string, string>()
  constructor(checker: ts.Checker) {
    this.#checker = checker
  }

  typeText(type: ts.Type, at: Node): string {
    return withoutImports(this.#checker.typeToString(type, at, flags | ts.NodeBuilderFlags.InTypeAlias))
  }

  /** What a schema decodes to, as one would write it by hand. Members as lines; none for what is no record. */
  members(symbol: ts.Symbol, at: Node): ReadonlyArray<{ readonly doc: string; readonly text: string }> {
    const type = this.#checker.getDeclaredTypeOfSymbol(symbol)
    const isRecord =
      (type.flags & ts.TypeFlags.Object) !== 0 &&
      !this.#checker.isArrayLikeType(type) &&
      this.#checker.getIndexInfosOfType(type).length === 0
    if (!isRecord) return []
    return this.#checker.getPropertiesOfType(type).map((each) => {
      const optional = (each.flags & ts.SymbolFlags.Optional) !== 0
      const key = property.test(each.name) ? each.name : JSON.stringify(each.name)
      const typeOf = this.typeText(this.#checker.getTypeOfSymbol(each)!, at)
      return {
        doc: this.#checker.getDocumentationCommentOfSymbol(each),
        // An optional key is left out or given; as an undefined value it is refused.
        text: `readonly ${key}${optional ? "?" : ""}: ${optional ? typeOf.replace(/ \| undefined$/, "") : typeOf}`
      }
    })
  }

  shape(name: string, symbol: ts.Symbol, at: Node): string {
    const members = this.members(symbol, at)
    if (members.length === 0) {
      const text = this.typeText(this.#checker.getDeclaredTypeOfSymbol(symbol), at)
      this.#spellings.set(`${name}@${symbol.declarations[0]!.path}`, text)
      return `type ${name} = ${text}`
    }
    const spelled = `{ ${members.map(({ text }) => `${text}; `).join("")}}`
    this.#spellings.set(`${name}@${symbol.declarations[0]!.path}`, spelled)
    const lines = members.map(({ doc, text }) => `${doc === "" ? "" : `/** ${doc} */\n`}${text}`)
    return `interface ${name} {\n${lines.join("\n")}\n}`
  }

  /** The compiler spells out what schemas decode to; with the names back in place it can be read. */
  named(exported: Export): Export {
    const texts = [...this.#spellings.values()]
    const spellings = [...this.#spellings]
      .map(([key, text]) => ({ name: key.replace(/@.*/, ""), text }))
      // Two schemas of one shape could be confused, and short ones are as easily read as their names.
      .filter(({ text }) => text.length > 36 && texts.indexOf(text) === texts.lastIndexOf(text))
      .sort((a, b) => b.text.length - a.text.length)
    const signature = spellings
      .filter(({ name }) => name !== exported.name)
      .reduce((text, spelling) => text.replaceAll(spelling.text, spelling.name), exported.signature)
    return { ...exported, signature, members: exported.members.map((member) => this.named(member)) }
  }

  constant(name: string, declaration: VariableDeclaration, symbol: ts.Symbol): readonly [Kind, string] {
    const { initializer, type } = declaration
    const typed =
      type === undefined ? this.typeText(this.#checker.getTypeOfSymbol(symbol)!, declaration) : sourceOf(type)
    if (initializer !== undefined && ast.isArrowFunction(initializer) && initializer.type !== undefined) {
      const type = initializer.type
      const generics = initializer.typeParameters?.map(sourceOf).join(", ")
      const arrow = `${generics === undefined ? "" : `<${generics}>`}(${parametersOf(initializer)}) => ${sourceOf(type)}`
      return [kindOf(sourceOf(type)), `const ${name}: ${arrow}`]
    }
    const signatures = this.#checker.getSignaturesOfType(this.#checker.getTypeOfSymbol(symbol)!, ts.SignatureKind.Call)
    if (typed.startsWith("Layer.")) return ["layer", `const ${name}: ${typed}`]
    const isFunction = signatures.length > 0 && !typed.startsWith("Schema.")
    const returned = typed.slice(typed.lastIndexOf(") => ") + 5)
    return [isFunction ? kindOf(returned) : "constant", `const ${name}: ${tidied(typed)}`]
  }

  read(name: string, exported: ts.Symbol): Export {
    const symbol = (exported.flags & ts.SymbolFlags.Alias) === 0 ? exported : this.#checker.getAliasedSymbol(exported)
    const nodes = symbol.declarations.flatMap((handle) => handle.resolve() ?? [])
    const first = nodes[0]
    if (first === undefined) throw new Error(`${name} is declared nowhere`)
    const file = path.relative(root, first.getSourceFile().fileName)
    const origin = `${file}#${symbol.name}`
    if (ast.isSourceFile(first)) {
      return {
        name,
        kind: "namespace",
        doc: headerOf(first.text),
        signature: "",
        members: this.exportsOf(symbol),
        origin
      }
    }
    const docs = nodes.map((node) => leading(ast.isVariableDeclaration(node) ? node.parent.parent : node))
    const doc = docs.filter((each) => each !== "").join("\n\n")
    const parts = nodes.map((node) => this.declaration(name, node, symbol))
    const schema = parts.some(([kind]) => kind === "schema")
    const kind: Kind = schema ? "schema" : parts[0]![0]
    const signature = parts
      .filter(([each]) => !schema || each === "schema")
      .map(([, text]) => text)
      .join("\n")
    return { name, kind, doc, signature, members: [], origin }
  }

  declaration(name: string, node: Node, symbol: ts.Symbol): readonly [Kind, string] {
    const text = sourceOf(node).replace(/^(?:export |declare )+/, "")
    if (ast.isVariableDeclaration(node)) return this.constant(name, node, symbol)
    if (ast.isInterfaceDeclaration(node)) {
      return /^interface \w+ extends Schema\.Schema\.Type</.test(text)
        ? ["schema", this.shape(name, symbol, node)]
        : ["interface", text]
    }
    if (ast.isTypeAliasDeclaration(node)) {
      return /= typeof [\w.]+\.Type$/.test(text) ? ["schema", this.shape(name, symbol, node)] : ["type", text]
    }
    if (ast.isClassDeclaration(node)) {
      const head = text.slice(
        0,
        (node.members.pos ?? node.end) - node.getStart() - (sourceOf(node).length - text.length)
      )
      const kind = /Context\.Service</.test(head) ? "service" : /TaggedError</.test(head) ? "error" : "class"
      const members = node.members
        .filter((member) => !/^(?:override|private|#|constructor|protected)/.test(sourceOf(member)))
        .map((member) => sourceOf(member))
      return [kind, `${head}${members.join("\n")}}`]
    }
    throw new Error(`${name} is declared in a way that this script does not know: ${text.slice(0, 80)}`)
  }

  exportsOf(module: ts.Symbol): ReadonlyArray<Export> {
    return this.#checker
      .getExportsOfModule(module)
      .map((symbol) => this.read(symbol.name, symbol))
      .sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1))
  }
}

const kindOf = (returns: string): Kind => (returns.startsWith("Layer.Layer<") ? "layer" : "function")

/** The entries, by the files that users import; `faces` leads from a file to its specifier. */
export const readEntries = (faces: ReadonlyMap<string, string>): ReadonlyArray<Entry> => {
  const api = new ts.API({ cwd: root })
  try {
    const config = path.join(root, "tsconfig.build.json")
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config)
    if (project === undefined) throw new Error(`${config} cannot be opened`)
    const reader = new Reader(project.checker)
    const entries = [...faces].map(([file, specifier]) => {
      const source = project.program.getSourceFile(path.join(root, file))
      const module = source === undefined ? undefined : project.checker.getSymbolAtLocation(source)
      if (module === undefined) throw new Error(`${file} is no module`)
      const doc = headerOf(fs.readFileSync(path.join(root, file), "utf8"))
      return { specifier, doc, exports: reader.exportsOf(module) }
    })
    return entries.map((entry) => ({ ...entry, exports: entry.exports.map((each) => reader.named(each)) }))
  } finally {
    api.close()
  }
}
