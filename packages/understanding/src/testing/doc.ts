const SECTOR = 512
const END_OF_CHAIN = 0xfffffffe
const FREE = 0xffffffff
const FAT = 0xfffffffd
const HEADER_BLOCK = 0x400

/** The smallest DOC that holds these paragraphs: one piece of UTF-16, no styles, no formatting. */
export function plainDoc(paragraphs: readonly string[]): Buffer {
  const text = paragraphs.map((paragraph) => `${paragraph}\r`).join('')
  const pieces = Buffer.alloc(5 + 16)
  pieces[0] = 2
  pieces.writeUInt32LE(16, 1)
  pieces.writeUInt32LE(text.length, 9)
  pieces.writeUInt32LE(HEADER_BLOCK, 15)
  const block = Buffer.alloc(HEADER_BLOCK)
  block.writeUInt16LE(0xa5ec, 0)
  block.writeUInt16LE(0xc1, 2)
  block.writeUInt32LE(text.length, 0x4c)
  block.writeUInt32LE(pieces.length, 0x1a6)
  return compoundFile({
    WordDocument: Buffer.concat([block, Buffer.from(text, 'utf16le')]),
    '0Table': pieces,
  })
}

/** A compound file of these streams (MS-CFB), all of them in sectors of 512 bytes. */
function compoundFile(streams: Record<string, Buffer>): Buffer {
  const contents = Object.values(streams).map(padded)
  const directory = padded(entry('Root Entry', 5, END_OF_CHAIN, 0))
  const chains = [directory, ...contents]
  const used = chains.reduce((sum, { length }) => sum + length / SECTOR, 0)
  const tables = Math.ceil(used / (SECTOR / 4 - 1))
  const numbers: number[] = Array.from({ length: tables }, () => FAT)
  const starts = chains.map(({ length }) => {
    const start = numbers.length
    for (let left = length / SECTOR; left > 0; left--)
      numbers.push(left === 1 ? END_OF_CHAIN : numbers.length + 1)
    return start
  })
  Object.entries(streams).forEach(([name, { length }], index) =>
    entry(name, 2, starts[index + 1]!, length).copy(directory, 128 * (index + 1)),
  )
  const table = Buffer.alloc(tables * SECTOR, 0xff)
  numbers.forEach((number, index) => table.writeUInt32LE(number, 4 * index))
  return Buffer.concat([header(starts[0]!, tables), table, ...chains])
}

const padded = (bytes: Buffer): Buffer =>
  Buffer.concat([bytes, Buffer.alloc((SECTOR - (bytes.length % SECTOR)) % SECTOR)])

function header(directory: number, tables: number): Buffer {
  const bytes = Buffer.alloc(SECTOR)
  bytes.write('d0cf11e0a1b11ae1', 'hex')
  bytes.writeUInt16LE(9, 30)
  bytes.writeUInt16LE(6, 32)
  bytes.writeUInt32LE(tables, 44)
  bytes.writeUInt32LE(directory, 48)
  bytes.writeUInt32LE(END_OF_CHAIN, 60)
  bytes.writeUInt32LE(END_OF_CHAIN, 68)
  for (let index = 0; index < 109; index++) bytes.writeUInt32LE(index < tables ? index : FREE, 76 + 4 * index)
  return bytes
}

function entry(name: string, kind: number, start: number, size: number): Buffer {
  const bytes = Buffer.alloc(128)
  bytes.write(name, 'utf16le')
  bytes.writeUInt16LE(2 * name.length + 2, 64)
  bytes[66] = kind
  bytes.writeUInt32LE(start, 116)
  bytes.writeUInt32LE(size, 120)
  return bytes
}
