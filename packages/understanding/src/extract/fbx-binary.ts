import { inflateSync } from 'node:zlib'
import { UnreadableFile } from '@medialog/application/ports/understanding'
import { ARCHIVE_BUDGET } from '../archive/budget.ts'
import type { FbxNode, FbxValue } from './fbx-node.ts'
import { damagedModel } from './model-facts.ts'

const FIRST_NODE = 27
/** From this version on, places and lengths have 64 bits. */
const WIDE = 7500
const DEEPEST = 100
/** How many times its size the densest stream of zlib inflates to. */
const MOST_DEFLATED = 1032
const SIZES: ReadonlyMap<string, number> = new Map(Object.entries({ f: 4, d: 8, l: 8, i: 4, b: 1, c: 1 }))

/**
 * The nodes of a binary FBX file (its format is not published; after Blender's description). Names of objects come as
 * `Class::Name`, as they stand in text.
 * @throws UnreadableFile `corrupted` for nodes that reach beyond the file or their parent
 */
export function readBinaryFbx(bytes: Uint8Array): FbxNode[] {
  if (bytes.length < FIRST_NODE) throw damagedModel('it ends in the middle')
  return new BinaryReader(bytes).nodes(bytes.length, true)
}

class BinaryReader {
  readonly #file: Buffer
  readonly #wide: boolean
  #at = FIRST_NODE
  #inflated = 0

  constructor(bytes: Uint8Array) {
    this.#file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#wide = this.#file.readUInt32LE(23) >= WIDE
  }

  /** Up to an empty node, which must stand at the end of the top; inside, the parent's end will do. */
  nodes(end: number, top = false, depth = 0): FbxNode[] {
    if (depth > DEEPEST) throw damagedModel('its parts are nested too deeply')
    const nodes: FbxNode[] = []
    while (top || this.#at < end) {
      const node = this.#node(end, depth)
      if (!node) break
      nodes.push(node)
    }
    return nodes
  }

  #node(parentEnd: number, depth: number): FbxNode | null {
    const end = this.#length()
    const count = this.#length()
    const length = this.#length()
    const nameLength = this.#take(1)[0]!
    if (end === 0 && nameLength === 0) return null
    const name = this.#take(nameLength).toString('latin1')
    const valuesEnd = this.#at + length
    // Maya writes some nodes without children with the end 0.
    const nodeEnd = end === 0 ? valuesEnd : end
    if (nodeEnd > parentEnd || valuesEnd > nodeEnd) throw damagedModel('it ends in the middle')
    const values = Array.from({ length: Math.min(count, length) }, () => this.#value())
    if (this.#at !== valuesEnd) throw damagedModel('a part of it has another length than it states')
    const children = this.nodes(nodeEnd, false, depth + 1)
    if (this.#at !== nodeEnd) throw damagedModel('a part of it has another length than it states')
    return { name, values, children }
  }

  #value(): FbxValue {
    const type = this.#take(1).toString('latin1')
    switch (type) {
      case 'Y':
        return this.#take(2).readInt16LE()
      case 'C':
      case 'B':
        return this.#take(1)[0] !== 0
      case 'Z':
        return this.#take(1).readInt8()
      case 'I':
        return this.#take(4).readInt32LE()
      case 'F':
        return this.#take(4).readFloatLE()
      case 'D':
        return this.#take(8).readDoubleLE()
      case 'L':
        return this.#take(8).readBigInt64LE()
      case 'S':
        return nameOf(this.#take(this.#take(4).readUInt32LE()).toString('utf8'))
      case 'R':
        this.#take(this.#take(4).readUInt32LE())
        return null
    }
    const size = SIZES.get(type)
    if (size === undefined) throw damagedModel('a value has a type that FBX does not know')
    return this.#array(type, size)
  }

  #array(type: string, size: number): FbxValue {
    const [length, packing, stored] = [0, 0, 0].map(() => this.#take(4).readUInt32LE()) as [
      number,
      number,
      number,
    ]
    const bytes = this.#take(packing === 0 ? length * size : stored)
    const read = (): number[] => {
      const plain = packing === 0 ? bytes : this.#inflate(bytes, length * size)
      return Array.from({ length }, (_, index) => numberAt(plain, type, index * size))
    }
    return { length, read }
  }

  #inflate(packed: Buffer, size: number): Buffer {
    if (size > MOST_DEFLATED * packed.length) throw damagedModel('numbers in it cannot be unpacked')
    this.#inflated += size
    if (this.#inflated > ARCHIVE_BUDGET.bytes)
      throw new UnreadableFile('too-large', 'The model expands beyond what is read.')
    const plain = inflated(packed, size)
    if (plain?.length !== size) throw damagedModel('numbers in it cannot be unpacked')
    return plain
  }

  #length(): number {
    return this.#wide ? Number(this.#take(8).readBigUInt64LE()) : this.#take(4).readUInt32LE()
  }

  #take(length: number): Buffer {
    const start = this.#at
    this.#at += length
    if (this.#at > this.#file.length) throw damagedModel('it ends in the middle')
    return this.#file.subarray(start, this.#at)
  }
}

/** Null for what does not inflate, or to more than stated. */
function inflated(packed: Buffer, size: number): Buffer | null {
  try {
    return inflateSync(packed, { maxOutputLength: Math.max(1, size) })
  } catch {
    return null
  }
}

/** `Box\0\1Model` → `Model::Box`. */
function nameOf(text: string): string {
  const [name, kind] = text.split('\0\x01')
  return kind === undefined ? text : `${kind}::${name}`
}

function numberAt(bytes: Buffer, type: string, at: number): number {
  switch (type) {
    case 'f':
      return bytes.readFloatLE(at)
    case 'd':
      return bytes.readDoubleLE(at)
    case 'i':
      return bytes.readInt32LE(at)
    case 'l':
      return Number(bytes.readBigInt64LE(at))
    default:
      return bytes[at]!
  }
}
