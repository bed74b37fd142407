/**
 * Preloaded into another process: at its end it writes to file descriptor 3 which packages' modules have been imported by
 * files under the directory that the environment names, one a line.
 */
import * as fs from "node:fs"
import * as module from "node:module"
import * as url from "node:url"

const directory = url.pathToFileURL(process.env["RECORD_IMPORTS_OF"]!).href
const found = new Set<string>()

module.registerHooks({
  resolve: (specifier, context, next) => {
    if (context.parentURL?.startsWith(directory) && !/^[./]/.test(specifier)) found.add(specifier)
    return next(specifier, context)
  }
})
process.on("exit", () => fs.writeSync(3, [...found].sort().join("\n")))
