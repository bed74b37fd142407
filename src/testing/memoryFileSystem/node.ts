/** What the tree is made of: inodes, their permissions, and what `stat` says about them. */
import * as ByteSize from "effect/ByteSize"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"

/** A file type that has nothing behind it: opening a FIFO never returns, the others cannot be opened. */
export type SpecialType = "FIFO" | "Socket" | "BlockDevice" | "CharacterDevice"

interface Inode {
  readonly ino: number
  /** The nine permission bits. */
  permissions: number
  /** How many directory entries name this inode. */
  links: number
  /** Epoch milliseconds, as are the other two. */
  atime: number
  mtime: number
  readonly birthtime: number
  /** A size that `stat` reports whatever the content is. */
  claimedSize: number | undefined
  /** The size from before a rewrite that was to leave no trace; the next ordinary change forgets it. */
  keptSize: number | undefined
}
export interface FileNode extends Inode {
  readonly type: "File"
  /** Never changed in place, so what a reader was given stays as it was. */
  data: Uint8Array
}
export interface DirectoryNode extends Inode {
  readonly type: "Directory"
  readonly entries: Map<string, Node>
  /** The root is its own parent. */
  parent: DirectoryNode
  name: string
}
export interface LinkNode extends Inode {
  readonly type: "SymbolicLink"
  readonly target: string
}
export interface SpecialNode extends Inode {
  readonly type: SpecialType
}
export type Node = FileNode | DirectoryNode | LinkNode | SpecialNode

/** Who runs a system call, and when. A privileged caller is the disk changing by itself: no permission holds it back. */
export interface Caller {
  readonly now: number
  readonly privileged: boolean
}

export const READ = 0o4
export const WRITE = 0o2
export const EXECUTE = 0o1

/** Whether `caller` has all of `bits`. Every inode belongs to the one ordinary user there is, so the owner's bits decide. */
export const may = (caller: Caller, node: Node, bits: number): boolean =>
  caller.privileged || ((node.permissions >> 6) & bits) === bits

/** The ids of that user; `chown` to another one is refused. */
export const uid = 1000
export const gid = 1000

/** Permission bits of a new inode, after the usual umask. */
export const masked = (mode: number): number => mode & 0o777 & ~0o022

const encoder = new TextEncoder()
export const utf8 = (text: string): Uint8Array => encoder.encode(text)

const typeBits: Record<Node["type"], number> = {
  FIFO: 0o010000,
  CharacterDevice: 0o020000,
  Directory: 0o040000,
  BlockDevice: 0o060000,
  File: 0o100000,
  SymbolicLink: 0o120000,
  Socket: 0o140000
}

const blockSize = 4096

const actualSize = (node: Node): number => {
  switch (node.type) {
    case "File":
      return node.data.length
    case "Directory":
      return blockSize
    case "SymbolicLink":
      return utf8(node.target).length
    default:
      return 0
  }
}

export const reportedSize = (node: Node): number => node.claimedSize ?? node.keptSize ?? actualSize(node)

const hardLinks = (node: Node): number => {
  if (node.type !== "Directory") return node.links
  let count = node.links === 0 ? 0 : 2
  for (const child of node.entries.values()) if (child.type === "Directory") count++
  return count
}

/** What `stat` reports. */
export const info = (node: Node): FileSystem.File.Info => ({
  type: node.type,
  mtime: Option.some(new Date(node.mtime)),
  atime: Option.some(new Date(node.atime)),
  birthtime: Option.some(new Date(node.birthtime)),
  dev: 1n,
  rdev: Option.some(0n),
  ino: Option.some(BigInt(node.ino)),
  mode: typeBits[node.type] | node.permissions,
  nlink: Option.some(BigInt(hardLinks(node))),
  uid: Option.some(uid),
  gid: Option.some(gid),
  size: ByteSize.bytes(reportedSize(node)),
  blksize: Option.some(ByteSize.bytes(blockSize)),
  blocks: Option.some(BigInt(Math.ceil(actualSize(node) / 512)))
})
