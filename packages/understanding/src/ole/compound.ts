import { UnreadableFile } from '@medialog/application/ports/understanding'

const SIGNATURE = 'd0cf11e0a1b11ae1'
const HEADER = 512
const DIRECTORY_ENTRY = 128
/** Bytes; the format knows no other size. */
const MINI_SECTOR = 64
const END_OF_CHAIN = 0xfffffffe
const FREE = 0xffffffff
const ENTRY_KIND = { storage: 1, stream: 2, root: 5 }
/** Sector numbers of the allocation table that the header itself holds; more stand in sectors of their own. */
const DIFAT_IN_HEADER = 109

interface Entry {
  name: string
  kind: number
  /** Numbers of its neighbours, of the first entry within it, or `FREE`. */
  left: number
  right: number
  child: number
  start: number
  size: number
}

/** The streams at the top of an OLE compound file (MS-CFB), by name in any case; of two of one name the first counts. */
export interface CompoundFile {
  has(name: string): boolean
  /** A stream's bytes, or null when there is none of that name. @throws UnreadableFile `corrupted` */
  read(name: string): Buffer | null
}

/** @throws UnreadableFile `corrupted` for what is no compound file or refers beyond its end */
export function openCompoundFile(bytes: Uint8Array): CompoundFile {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (file.toString('hex', 0, 8) !== SIGNATURE || file.length < HEADER) throw damaged()
  const sectorSize = 1 << file.readUInt16LE(30)
  if (sectorSize !== 512 && sectorSize !== 4096) throw damaged()
  const sectors = new Sectors(file, sectorSize, sectorSize)
  const fat = numbersOf(sectors.all(fatSectors(file, sectors)))
  const entries = entriesOf(sectors.chain(file.readUInt32LE(48), fat))
  const root = entries.find(({ kind }) => kind === ENTRY_KIND.root)
  if (!root) throw damaged()
  const miniLimit = file.readUInt32LE(56)
  const streams = new Map<string, Entry>()
  let mini: { sectors: Sectors; fat: Uint32Array } | null = null
  const inside = withinStorages(entries)
  for (const [number, { kind, name }] of entries.entries())
    if (kind === ENTRY_KIND.stream && !inside.has(number) && !streams.has(name.toUpperCase()))
      streams.set(name.toUpperCase(), entries[number]!)
  return {
    has: (name) => streams.has(name.toUpperCase()),
    read(name) {
      const entry = streams.get(name.toUpperCase())
      if (!entry) return null
      const content = entry.size < miniLimit ? readMini(entry) : sectors.chain(entry.start, fat)
      if (content.length < entry.size) throw damaged()
      return content.subarray(0, entry.size)
    },
  }

  /** Small streams share one. */
  function readMini({ start }: Entry): Buffer {
    mini ??= {
      sectors: new Sectors(sectors.chain(root!.start, fat), 0, MINI_SECTOR),
      fat: numbersOf(sectors.chain(file.readUInt32LE(60), fat)),
    }
    return mini.sectors.chain(start, mini.fat)
  }
}

class Sectors {
  readonly #file: Buffer
  readonly #first: number
  readonly #size: number

  constructor(file: Buffer, first: number, size: number) {
    this.#file = file
    this.#first = first
    this.#size = size
  }

  at(sector: number): Buffer {
    const start = this.#first + sector * this.#size
    // The last sector of a file is not always filled up.
    if (start >= this.#file.length) throw damaged()
    return this.#file.subarray(start, start + this.#size)
  }

  /** How many there are. What names more of them names one twice, or leads back into itself. */
  get count(): number {
    return Math.max(0, Math.ceil((this.#file.length - this.#first) / this.#size))
  }

  /** These sectors, one after the other. */
  all(numbers: readonly number[]): Buffer {
    if (numbers.length > this.count) throw damaged()
    return Buffer.concat(numbers.map((sector) => this.at(sector)))
  }

  /** All sectors from `start` to the end of their chain, one after the other. */
  chain(start: number, fat: Uint32Array): Buffer {
    const numbers: number[] = []
    for (let sector = start; sector !== END_OF_CHAIN && sector !== FREE; sector = fat[sector]!) {
      if (sector >= fat.length || numbers.length >= this.count) throw damaged()
      numbers.push(sector)
    }
    return this.all(numbers)
  }
}

function fatSectors(file: Buffer, sectors: Sectors): number[] {
  const found: number[] = []
  const add = (numbers: Uint32Array): void => {
    for (const sector of numbers) if (sector !== FREE && sector !== END_OF_CHAIN) found.push(sector)
  }
  add(numbersOf(file.subarray(76, 76 + 4 * DIFAT_IN_HEADER)))
  let next = file.readUInt32LE(68)
  const stated = file.readUInt32LE(72)
  for (let read = 0; read < stated && next !== END_OF_CHAIN && next !== FREE; read++) {
    if (Math.max(read, found.length) > sectors.count) throw damaged()
    const numbers = numbersOf(sectors.at(next))
    add(numbers.subarray(0, -1))
    next = numbers.at(-1) ?? END_OF_CHAIN
  }
  return found
}

function entriesOf(directory: Buffer): Entry[] {
  const entries: Entry[] = []
  for (let at = 0; at + DIRECTORY_ENTRY <= directory.length; at += DIRECTORY_ENTRY) {
    const length = Math.min(64, directory.readUInt16LE(at + 64))
    entries.push({
      name: directory.toString('utf16le', at, at + Math.max(0, length - 2)),
      kind: directory[at + 66]!,
      left: directory.readUInt32LE(at + 68),
      right: directory.readUInt32LE(at + 72),
      child: directory.readUInt32LE(at + 76),
      start: directory.readUInt32LE(at + 116),
      size: directory.readUInt32LE(at + 120),
    })
  }
  return entries
}

/** Numbers of the entries that a storage holds: embedded files have streams of the same names as the file itself. */
function withinStorages(entries: readonly Entry[]): Set<number> {
  const inside = new Set<number>()
  const open = entries.filter(({ kind }) => kind === ENTRY_KIND.storage).map(({ child }) => child)
  for (let number = open.pop(); number !== undefined; number = open.pop()) {
    const entry = entries[number]
    if (!entry || inside.has(number)) continue
    inside.add(number)
    open.push(entry.left, entry.right)
  }
  return inside
}

function numbersOf(bytes: Buffer): Uint32Array {
  const numbers = new Uint32Array(Math.floor(bytes.length / 4))
  for (let index = 0; index < numbers.length; index++) numbers[index] = bytes.readUInt32LE(4 * index)
  return numbers
}

const damaged = (): UnreadableFile =>
  new UnreadableFile('corrupted', 'The document is damaged: its compound file cannot be read.')
