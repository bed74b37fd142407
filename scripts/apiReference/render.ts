/** Writes the reference: an index, and one page for each entry of the package. */
import * as fs from "node:fs"
import * as path from "node:path"
import { format } from "oxfmt"
import type { Entry, Export, Kind } from "./read.ts"

const groups: ReadonlyArray<readonly [title: string, kinds: ReadonlyArray<Kind>]> = [
  ["Services", ["service"]],
  ["Layers", ["layer"]],
  ["Functions", ["function"]],
  ["Modules", ["namespace"]],
  ["Schemas", ["schema"]],
  ["Errors", ["error"]],
  ["Types", ["interface", "type", "class"]],
  ["Constants", ["constant"]]
]

const effectModules = path.join(import.meta.dirname, "../../node_modules/effect/dist")

/** The anchor that a heading gets, by the rules of GitHub; the same heading again gets a number. */
const slugs = (): ((heading: string) => string) => {
  const used = new Map<string, number>()
  return (heading) => {
    const slug = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-")
    const before = used.get(slug) ?? 0
    used.set(slug, before + 1)
    return before === 0 ? slug : `${slug}-${before}`
  }
}

/** Examples are run where they stand, in the sources: here they get the long name of the language, which no test runs. */
const prose = (doc: string): string =>
  doc.replaceAll(/^```ts$/gm, "```typescript").replaceAll(/\{@link ([\w.]+)\}/g, "`$1`")

const firstSentence = (doc: string): string => {
  const paragraph = prose(doc).split("\n\n")[0]!.replaceAll("\n", " ")
  return /^.*?\.(?= |$)/.exec(paragraph)?.[0] ?? paragraph
}

const cell = (text: string): string => text.replaceAll("|", "\\|")

const formatted = async (signature: string): Promise<string> => {
  if (signature === "") return ""
  const declared = signature.replace(/^const /gm, "declare const ")
  const options = { printWidth: 100, semi: false, trailingComma: "none" } as const
  const { code, errors } = await format("signature.ts", declared, options)
  if (errors.length > 0) throw new Error(`This signature cannot be formatted: ${errors[0]!.message}\n${declared}`)
  return code.replaceAll(/^declare /gm, "").trimEnd()
}

interface Place {
  readonly entry: Entry
  readonly exported: Export
  readonly title: string
  readonly anchor: string
}

const pageOf = (entry: Entry): string => `${entry.specifier.split("/")[1] ?? "index"}.md`

/** What stands on a page, in the order of the page. */
const placesOf = (entry: Entry): ReadonlyArray<readonly [group: string, places: ReadonlyArray<Place>]> => {
  const slug = slugs()
  slug(entry.specifier)
  slug("Contents")
  const flat = (exports: ReadonlyArray<Export>, prefix: string) =>
    exports.map((exported) => ({ exported, title: `${prefix}${exported.name}` }))
  const own = groups.flatMap(([title, kinds]) => {
    const members = flat(
      entry.exports.filter(({ kind }) => kinds.includes(kind)),
      ""
    )
    return members.length === 0 ? [] : [[title, members] as const]
  })
  const below = entry.exports
    .filter(({ kind }) => kind === "namespace")
    .map((namespace) => [namespace.name, flat(namespace.members, `${namespace.name}.`)] as const)
  return [...own.filter(([title]) => title !== "Modules"), ...below].map(([title, members]) => {
    slug(title)
    return [title, members.map((member) => ({ ...member, entry, anchor: slug(member.title) }))]
  })
}

const ruleIds = (exported: Export): ReadonlyArray<string> => [
  ...new Set(`${exported.doc}\n${exported.signature}`.match(/(?<![\w-])[A-Z]-\d+\b/g))
]

export const renderReference = async (entries: ReadonlyArray<Entry>): Promise<ReadonlyMap<string, string>> => {
  // The barrel holds nothing of its own.
  const [barrel, ...modules] = entries
  const pages = modules.map((entry) => ({ entry, groups: placesOf(entry) }))
  const places = pages.flatMap((page) => page.groups.flatMap(([, each]) => each))

  const link = (from: Entry, name: string, namespace: string): string | undefined => {
    const near = places.filter(({ entry, title }) => entry === from && title === `${namespace}.${name}`)
    const named = near.length > 0 ? near : places.filter(({ title }) => title === name)
    const here = named.find(({ entry }) => entry === from)
    // `Scope` is a name of ours and a module of Effect's: on a page that exports none, Effect's is meant.
    if (here === undefined && fs.existsSync(path.join(effectModules, `${name}.d.ts`))) return undefined
    const place = here ?? named.find(({ entry }) => entry.specifier.endsWith(`/${name}`)) ?? named[0]
    if (place === undefined) return undefined
    return `[\`${name}\`](${place.entry === from ? "" : `./${pageOf(place.entry)}`}#${place.anchor})`
  }

  const section = async ({ entry, exported, title }: Place): Promise<string> => {
    const signature = await formatted(exported.signature)
    const code = signature.replaceAll(/\/\*\*[^]*?\*\//g, "")
    const names = [...new Set(code.match(/(?<![\w".])[A-Z]\w+\b(?!\.)/g))].filter((name) => name !== exported.name)
    const links = names.sort().flatMap((name) => link(entry, name, title.split(".")[0]!) ?? [])
    return [
      `### ${title}`,
      `*${exported.kind}*${exported.doc === "" ? "" : ` — ${prose(exported.doc)}`}`,
      `\`\`\`typescript\n${signature}\n\`\`\``,
      ...(links.length === 0 ? [] : [`See ${links.join(", ")}.`])
    ].join("\n\n")
  }

  const page = async ({ entry, groups: sections }: (typeof pages)[number]): Promise<string> => {
    const contents = sections.map(([title, each]) => {
      const links = each.map((place) => `[\`${place.title}\`](#${place.anchor})`)
      return `- **${title}**: ${links.join(", ")}`
    })
    const bodies = await Promise.all(
      sections.map(async ([title, each]) => {
        const namespace = entry.exports.find(({ kind, name }) => kind === "namespace" && name === title)
        const doc = namespace === undefined ? [] : [prose(namespace.doc)]
        return [`## ${title}`, ...doc, ...(await Promise.all(each.map(section)))].join("\n\n")
      })
    )
    const generated = "<!-- Written by `npm run docs:api` from the sources. -->"
    const head = [
      `# ${entry.specifier}`,
      generated,
      "[API reference](./README.md)",
      prose(entry.doc),
      "## Contents",
      contents.join("\n")
    ]
    return `${[...head, ...bodies].join("\n\n")}\n`
  }

  const rows = pages.map(
    ({ entry }) => `| [\`${entry.specifier}\`](./${pageOf(entry)}) | ${cell(firstSentence(entry.doc))} |`
  )
  const rules = Map.groupBy(
    places.flatMap((place) => ruleIds(place.exported).map((rule) => ({ rule, place }))),
    ({ rule }) => rule
  )
  const byNumber = (a: string, b: string) => a[0]!.localeCompare(b[0]!) || Number(a.slice(2)) - Number(b.slice(2))
  const ruleRows = [...rules.keys()].sort(byNumber).map((rule) => {
    const links = rules.get(rule)!.map(({ place: { anchor, entry, title } }) => {
      const module = entry.specifier.split("/")[1]!
      return `[\`${module}.${title}\`](./${pageOf(entry)}#${anchor})`
    })
    return `| ${rule} | ${[...new Set(links)].join(", ")} |`
  })
  const names = [...new Set(places.map(({ title }) => title))].sort((a, b) =>
    a.toLowerCase() < b.toLowerCase() ? -1 : 1
  )
  const index = [
    "# API reference",
    "<!-- Written by `npm run docs:api` from the sources. -->",
    `Every public export, with its docs and its declaration, one page for each entry point. \`${barrel!.specifier}\` itself holds the modules with capital letters by their names: \`import { Session } from "${barrel!.specifier}"\`.`,
    "A schema is shown as the type it decodes to; its name is a value, too: the `effect/Schema` that decodes it. A service is looked up by its class, a layer builds it, and an error is a class whose `_tag` is its name.",
    `| entry point | for |\n| --- | --- |\n${rows.join("\n")}`,
    "## Every name",
    names
      .map((title) => {
        const [first, ...others] = places.filter((place) => place.title === title)
        const to = (place: Place, text: string) => `[${text}](./${pageOf(place.entry)}#${place.anchor})`
        const module = (place: Place) => place.entry.specifier.split("/")[1]!
        return others.length === 0
          ? `- ${to(first!, `\`${title}\``)}`
          : `- \`${title}\`: ${[first!, ...others].map((place) => to(place, `\`${module(place)}\``)).join(", ")}`
      })
      .join("\n"),
    "## Rules",
    "Which exports name which rule of the contract in their docs.",
    `| rule | exports |\n| --- | --- |\n${ruleRows.join("\n")}`
  ]
  const rendered = await Promise.all(pages.map(async (each) => [pageOf(each.entry), await page(each)] as const))
  return new Map([["README.md", `${index.join("\n\n")}\n`], ...rendered])
}
