import type { Embedder, SourceFile, Understanding } from '@medialog/application/ports'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createEmbedder } from '@medialog/embedder'
import { createOfflineEnricher, createUnderstanding } from '@medialog/understanding'
import { detections } from '../src/conclusions/detection.ts'
import { concludedOf, f1, keySentences, NAMED } from '../src/conclusions/evaluate.ts'
import { ROWS } from '../src/formats/rows.ts'
import { remembering } from '../src/answers/evaluate.ts'
import { bareReaders } from './bare-readers.ts'
import { bareSessions } from './bare-sessions.ts'
import type { BareThreads } from './bare-threads.ts'
import { makeFiles } from './made-files.ts'
import { quantile, row, type BenchRow, type BenchRows } from './row.ts'
import { milliseconds } from './timing.ts'

const CORES = 2
const ROUNDS = 11
const FIXTURES = fileURLToPath(new URL('../fixtures', import.meta.url))

interface Service {
  understanding: Understanding
  close: () => Promise<void>
}

function serviceWith(embedder: Embedder, concurrency: number): Service {
  const enricher = createOfflineEnricher({ embedder })
  const understanding = createUnderstanding({ enricher, embedder, pool: { concurrency } })
  return {
    understanding,
    async close() {
      await understanding.close()
      await enricher.close()
    },
  }
}

function sourceOf(understanding: Understanding, path: string): SourceFile {
  const bytes = readFileSync(path)
  const filename = basename(path)
  return {
    path,
    filename,
    size: bytes.length,
    format: understanding.identify(filename, bytes.subarray(0, 8192)),
  }
}

/** What is concluded, how fast files are read, and what all of it takes beside the bare libraries. */
export async function* benchUnderstanding(): BenchRows {
  const embedder = await createEmbedder({ workers: CORES })
  const sessions = await bareSessions(CORES)
  const folder = mkdtempSync(join(tmpdir(), 'medialog-bench-'))
  try {
    yield* quality(embedder)
    yield* speed(remembering(embedder), makeFiles(folder))
    yield await embedding(embedder, sessions)
    yield await mixedBatch(embedder, sessions)
  } finally {
    rmSync(folder, { recursive: true })
    await sessions.close()
    await embedder.close()
  }
}

async function* quality(embedder: Embedder): BenchRows {
  const { understanding, close } = serviceWith(embedder, CORES)
  const all = await concludedOf(understanding)
  const heldOut = all.filter(({ label }) => label.heldOut)
  const detected = await detections(understanding)
  await close()
  const right = detected.filter(({ told, right }) => told.every((value, at) => value === right[at])).length
  yield* [
    row('names, all texts, against the goal', 0.8, f1(all), 'F1'),
    row('names, texts held out, against the goal', 0.8, f1(heldOut), 'F1'),
    ...NAMED.map((kind) => row(`${kind}, texts held out, against the goal`, 0.8, f1(heldOut, [kind]), 'F1')),
    row('summaries with a key sentence, against the goal', 0.7, keySentences(all), 'share'),
    row('type, language, encoding told, against the goal', 1, right / detected.length, 'share'),
  ]
}

/** Medians of reading one file after the other, warm; the texts' vectors are known from the first round. */
async function* speed(embedder: Embedder, files: ReturnType<typeof makeFiles>): BenchRows {
  const { understanding, close } = serviceWith(embedder, 1)
  const median = async (path: string): Promise<number> => {
    const source = sourceOf(understanding, path)
    const taken: number[] = []
    for (let round = 0; round <= ROUNDS; round++)
      taken.push(await milliseconds(() => understanding.read(source, {})))
    return quantile(
      taken.slice(1).sort((a, b) => a - b),
      0.5,
    )
  }
  yield row('DOCX of a page, against the goal', 150, await median(files.docx), 'ms')
  yield row('PDF of a page, against the goal', 150, await median(files.pdf), 'ms')
  yield row('PDF of 200 pages, against the goal', 2000, await median(files.longPdf), 'ms')
  yield row('image of 2 megapixels, against the goal', 300, await median(files.image), 'ms')
  await close()
}

const PASSAGE = 'the committee approved the annual budget of the harbour and its ferries. '.repeat(10)

/** The pool's rate beside that of as many bare sessions; they take turns, and the fastest round counts. */
async function embedding(embedder: Embedder, sessions: BareThreads<string>): Promise<BenchRow> {
  const texts = Array.from({ length: 64 }, (_, i) => `Passage ${i}: ${PASSAGE}`)
  let [bare, pool] = [Infinity, Infinity]
  for (let round = 0; round < 5; round++) {
    bare = Math.min(bare, await sessions.run(texts))
    pool = Math.min(pool, (await milliseconds(() => embedder.embed(texts))) / 1000)
  }
  return row(
    `embedding, bare sessions on ${CORES} cores`,
    texts.length / bare,
    texts.length / pool,
    'texts/s',
  )
}

/** One of each kind: a library a format at least once, 25 files, the most of a batch. */
const MIXED = `pdf docx doc odt rtf txt md html xml json epub eml pptx csv xlsx jpg png webp svg mp4 webm mp3 flac glb stl`

/**
 * 25 files through the service, beside the same work of the bare libraries on as many threads as there are cores: the
 * extractors and the analysis first, then the sentences, phrases and passages in bare sessions. Each has done it once
 * before it counts.
 */
async function mixedBatch(embedder: Embedder, sessions: BareThreads<string>): Promise<BenchRow> {
  const texts: string[] = []
  const recording: Embedder = {
    ...remembering(embedder),
    model: embedder.model,
    embed(some, options) {
      texts.push(...some)
      return embedder.embed(some, options)
    },
  }
  const { understanding, close } = serviceWith(recording, CORES)
  const files = MIXED.split(' ').map((name) =>
    sourceOf(understanding, join(FIXTURES, Object.keys(ROWS[name]!.samples)[0]!)),
  )
  const batch = (): Promise<unknown> => Promise.all(files.map((file) => understanding.understand(file, {})))
  const readers = await bareReaders(CORES)
  await batch()
  await readers.run([...files, ...files])
  let [bare, service] = [Infinity, Infinity]
  for (let round = 0; round < 5; round++) {
    texts.length = 0
    service = Math.min(service, (await milliseconds(batch)) / 1000)
    bare = Math.min(bare, (await readers.run(files)) + (await sessions.run(texts)))
  }
  await readers.close()
  await close()
  return row(
    `batch of ${files.length} mixed files, bare libraries on ${CORES} cores`,
    files.length / bare,
    files.length / service,
    'files/s',
  )
}
