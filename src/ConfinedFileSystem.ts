/**
 * A file system that ends at its trusted roots: it limits any other `FileSystem` to them, by real path at the time of use (C-8).
 *
 * **When to use**
 *
 * Below a program, or the part of it, that has no business outside of some directories: `layer` takes a `FileSystem` and
 * provides one. Nothing in this library goes around it; its faster readers serve the platform's own file system only.
 *
 * **Details**
 *
 * - Every path and every link on its way is looked up when it is used, as the kernel does it: `..` goes up from where a link has led.
 *   Of what is to be made, the nearest directory that exists decides.
 * - What lies outside is `PermissionDenied`, whether it exists or not. `exists` fails with it, too. The directories above the roots
 *   are outside.
 * - A link that leads out can be listed, renamed and removed, but neither followed nor read with `readLink`. None can be made.
 *   A tree that holds one is not copied, not even in part. `readDirectory` with `recursive` follows no links at all.
 * - A root can be filled and emptied, but not be made, removed or renamed: the directory that holds it is outside.
 * - Temporary files need a `directory` inside: the system's own is not looked for. `prefix` and `suffix` hold no separators.
 * - Files are opened without following a last link (`noFollow`, where the platform has it), made only where nothing is (`wx`), and
 *   compared by device and inode with what was checked, before they are read, written or emptied. If something has moved meanwhile,
 *   all is tried again, three times at most, and then refused.
 *
 * **Gotchas**
 *
 * There is no way to ask Node for an operation *relative to a directory that is held open*. So there is a moment between check and use, in which
 * another process, which can write below the roots, can put a link in the place of a directory:
 *
 * - Reading and writing of files (`open`, `readFile`, `writeFile`, `copyFile`, `truncate`, `stream`, `sink`) notice it before a byte
 *   is read, written or cut off, unless the link is put there and taken away again several times at just the right moments. An empty file may
 *   have been made outside.
 * - `stat`, `lstat`, `access`, `readLink` and listings are checked again afterwards, and what they have said is thrown away.
 * - `chmod`, `chown`, `utimes`, `rename`, `remove`, `makeDirectory`, `symlink`, `link`, `watch`, and the directories of temporary files are
 *   checked before and not after: they can be led out.
 *
 * A hard link to a file outside looks like any other file, and so does a mount. Keep those who can make them out of the roots.
 * A path by which a directory outside leads back in by a link is inside, since its real path is.
 *
 * **Example**
 *
 * ```ts
 * import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
 * import * as Effect from "effect/Effect"
 * import * as FileSystem from "effect/FileSystem"
 * import * as Layer from "effect/Layer"
 * import * as ConfinedFileSystem from "effect-agent-context/ConfinedFileSystem"
 *
 * const program = Effect.gen(function* () {
 *   const fs = yield* FileSystem.FileSystem
 *   const inside = yield* fs.exists(`${process.cwd()}/AGENTS.md`)
 *   const { reason } = yield* Effect.flip(fs.exists(`${process.cwd()}/../secret`))
 *   return [inside, reason._tag]
 * })
 *
 * const layer = ConfinedFileSystem.layer([process.cwd()]).pipe(Layer.provide(NodeFileSystem.layer))
 * console.log(await Effect.runPromise(Effect.provide(program, layer))) // => [true, "PermissionDenied"]
 * ```
 */
export { layer } from "./layers/filesystem/confined.ts"
export { InvalidRoot } from "./schemas/Confinement.ts"
