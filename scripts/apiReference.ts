/** `npm run docs:api`: writes `docs/api/` from the sources. A test fails when what is committed is not what this would write. */
import * as fs from "node:fs"
import * as path from "node:path"
import { faces, root } from "../test/support/examples.ts"
import { readEntries } from "./apiReference/read.ts"
import { renderReference } from "./apiReference/render.ts"

const directory = path.join(root, "docs/api")
const pages = await renderReference(readEntries(faces))
fs.rmSync(directory, { recursive: true, force: true })
fs.mkdirSync(directory, { recursive: true })
for (const [file, text] of pages) fs.writeFileSync(path.join(directory, file), text)
console.log(`${pages.size} pages in docs/api`)
