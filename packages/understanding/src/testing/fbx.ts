import { deflateSync } from 'node:zlib'

interface TestArray {
  type: 'd' | 'i'
  numbers: readonly number[] | Float64Array
  packed: boolean
}

export interface TestNode {
  name: string
  /** A number is one of a byte. */
  values?: readonly (bigint | number | string | TestArray)[]
  children?: readonly TestNode[]
}

const HEADER = 27

/** A binary FBX file of these nodes; from version 7500 on its lengths have 64 bits. */
export function binaryFbx(version: number, nodes: readonly TestNode[]): Buffer {
  const header = Buffer.alloc(HEADER)
  header.write('Kaydara FBX Binary  \0\x1a\0', 'latin1')
  header.writeUInt32LE(version, 23)
  return Buffer.concat([header, ...written(nodes, HEADER, version >= 7500)])
}

/** Nodes from this place of the file on, and the empty one that ends them. */
function written(nodes: readonly TestNode[], start: number, wide: boolean): Buffer[] {
  const size = wide ? 25 : 13
  const pieces: Buffer[] = []
  let at = start
  for (const { name, values = [], children = [] } of nodes) {
    const data = Buffer.concat(values.map(valueOf))
    const inside = at + size + name.length + data.length
    const below = children.length > 0 ? Buffer.concat(written(children, inside, wide)) : Buffer.alloc(0)
    const head = Buffer.alloc(size)
    for (const [index, length] of [inside + below.length, values.length, data.length].entries())
      if (wide) head.writeBigUInt64LE(BigInt(length), 8 * index)
      else head.writeUInt32LE(length, 4 * index)
    head[size - 1] = name.length
    pieces.push(head, Buffer.from(name), data, below)
    at = inside + below.length
  }
  return [...pieces, Buffer.alloc(size)]
}

function valueOf(value: bigint | number | string | TestArray): Buffer {
  if (typeof value === 'number') return Buffer.concat([Buffer.from('Z'), Buffer.from([value])])
  if (typeof value === 'bigint') {
    const bytes = Buffer.from('L00000000')
    bytes.writeBigInt64LE(value, 1)
    return bytes
  }
  if (typeof value === 'string')
    return Buffer.concat([Buffer.from('S'), lengths(Buffer.byteLength(value)), Buffer.from(value)])
  const plain = Buffer.from((value.type === 'd' ? Float64Array : Int32Array).from(value.numbers).buffer)
  const data = value.packed ? deflateSync(plain) : plain
  return Buffer.concat([
    Buffer.from(value.type),
    lengths(value.numbers.length, value.packed ? 1 : 0, data.length),
    data,
  ])
}

const lengths = (...numbers: number[]): Buffer => Buffer.from(Uint32Array.from(numbers).buffer)
