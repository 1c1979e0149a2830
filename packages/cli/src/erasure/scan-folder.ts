import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { Receipt } from './receipt.ts'

/** Something that should be gone and is not. */
export interface Trace {
  store: string
  place: string
  /** For people. */
  what: string
}

export interface FolderScan {
  files: number
  bytes: number
  traces: Trace[]
  /** Ids and digests where they may be, by file: they tell nothing of the content. */
  lawful: { place: string; names: number; why: string }[]
}

const BLOCK = 1024 * 1024
const ID = 36
const FIRST_DASH = 8
const DIGEST = 64
/** What may hold several: in a row of a database one may follow right upon what looks like its beginning. */
const RUNS = /[0-9a-f-]{36,}/g
/** The longest of what is looked for: a piece in UTF-16. */
const OVERLAP = 128

/** Where what is left of an erased item may be named, and which of its names. */
const LAWFUL: readonly { folder: string; ids: string; digests: string | null }[] = [
  {
    folder: 'log',
    ids: 'claims, postings, batches, the deletion and its receipt name it',
    digests: 'claims, batches and the receipt name it',
  },
  { folder: 'audit', ids: 'the leaf of each event names its stream', digests: null },
  { folder: 'read-models', ids: 'postings, batches and what is left of its rows name it', digests: null },
  { folder: 'webhooks', ids: 'deliveries of its events name their stream', digests: null },
]

/** Reads every byte below the folder, and looks for what the receipt names and for pieces of the content. */
export async function scanFolder(
  folder: string,
  receipt: Receipt,
  pieces: readonly Buffer[],
  onProgress: (done: { bytes: number; of: number }) => void,
  signal: AbortSignal,
): Promise<FolderScan> {
  const files = await filesBelow(folder)
  const of = files.reduce((sum, { size }) => sum + size, 0)
  const scan: FolderScan = { files: files.length, bytes: 0, traces: [], lawful: [] }
  const wanted = namesOf(receipt)
  const patterns = pieces.flatMap((piece) => [piece, Buffer.from(piece.toString('utf8'), 'utf16le')])
  for (const { path } of files) {
    signal.throwIfAborted()
    const found = await readFile(path, wanted, patterns, (bytes) =>
      onProgress({ bytes: (scan.bytes += bytes), of }),
    )
    // It was removed meanwhile: a server goes on.
    if (found) judge(relative(folder, path), found, wanted, receipt, scan)
  }
  return scan
}

type Names = Map<string, 'id' | 'digest'>

function namesOf({ items }: Receipt): Names {
  const names: Names = new Map()
  for (const { media_id: media, ingest_id: ingest, sha256, artifacts } of items) {
    names.set(media.slice(media.indexOf('_') + 1), 'id').set(ingest, 'id')
    for (const digest of [sha256, ...Object.values(artifacts)]) names.set(digest, 'digest')
  }
  return names
}

interface Found {
  names: Set<string>
  /** How many of the pieces are in it. */
  pieces: number
  sha256: string
}

async function readFile(
  path: string,
  wanted: Names,
  patterns: readonly Buffer[],
  onBytes: (bytes: number) => void,
): Promise<Found | null> {
  const hash = createHash('sha256')
  const names = new Set<string>()
  const seen = new Set<Buffer>()
  let rest = Buffer.alloc(0)
  try {
    for await (const block of createReadStream(path, { highWaterMark: BLOCK }) as AsyncIterable<Buffer>) {
      hash.update(block)
      const window = Buffer.concat([rest, block])
      for (const [run] of window.toString('latin1').matchAll(RUNS))
        for (const name of namesWithin(run)) if (wanted.has(name)) names.add(name)
      for (const pattern of patterns) if (!seen.has(pattern) && window.includes(pattern)) seen.add(pattern)
      rest = window.subarray(-OVERLAP)
      onBytes(block.length)
    }
  } catch (error) {
    return unlessGone(null)(error)
  }
  return { names, pieces: seen.size, sha256: hash.digest('hex') }
}

function* namesWithin(run: string): Generator<string> {
  for (let at = 0; at + ID <= run.length; at++) {
    if (run[at + FIRST_DASH] === '-') yield run.slice(at, at + ID)
    if (at + DIGEST <= run.length) yield run.slice(at, at + DIGEST)
  }
}

function judge(place: string, found: Found, wanted: Names, { items }: Receipt, scan: FolderScan): void {
  const store = place.split(sep)[0]!
  const trace = (what: string): void => void scan.traces.push({ store, place, what })
  if (found.pieces > 0) trace(`${found.pieces} pieces of the content are in it`)
  const ingest = items.find(({ ingest_id: id }) => place.includes(id))
  if (ingest) return trace(`what ingest ${ingest.ingest_id} left is still there`)
  // The same content may have been stored again since, by anybody: then it lies under another ingest.
  if (wanted.get(found.sha256) === 'digest' && store !== 'artifacts')
    trace(`it is the file with digest ${found.sha256}`)
  const rule = LAWFUL.find(({ folder }) => folder === store)
  for (const kind of ['id', 'digest'] as const) {
    const names = [...found.names].filter((name) => wanted.get(name) === kind)
    const why = kind === 'id' ? rule?.ids : rule?.digests
    if (names.length === 0) continue
    if (why) scan.lawful.push({ place, names: names.length, why })
    else trace(`${kind}s are in it: ${names.slice(0, 3).join(', ')}${names.length > 3 ? ', …' : ''}`)
  }
}

async function filesBelow(folder: string): Promise<{ path: string; size: number }[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(unlessGone([]))
  const files: { path: string; size: number }[] = []
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) files.push(...(await filesBelow(path)))
    else if (entry.isFile()) {
      const found = await stat(path).catch(unlessGone(null))
      if (found) files.push({ path, size: found.size })
    }
  }
  return files
}

/** Where a server goes on, what was listed may be gone; what cannot be read for any other reason is not passed over. */
const unlessGone =
  <T>(instead: T) =>
  (error: unknown): T => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return instead
    throw error
  }
