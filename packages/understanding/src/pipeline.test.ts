import type {
  Embedder,
  Enricher,
  Enrichment,
  Perceived,
  SourceFile,
} from '@medialog/application/ports/understanding'
import sharp from 'sharp'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { createUnderstanding } from './pipeline.ts'
import { fixtureFile, scratchFolder, sourceFile } from './testing/fixtures.ts'
import { noisyPicture } from './testing/noisy-picture.ts'

const enrichment: Enrichment = {
  summary: 'A report on one year.',
  description: '',
  topics: [],
  keywords: ['revenue', 'Seoul'],
  categories: [],
  emotions: [],
  entities: { people: [], organizations: [], locations: [], objects: [], concepts: [] },
  quality: { clarity: 1, completeness: 1, relevance: 1, technical: 1 },
  model: 'test',
}
const seen: { filename: string; text: string; signal: boolean }[] = []
const enricher: Enricher = {
  enrich: async ({ text }, filename, options) => {
    seen.push({ filename, text, signal: options?.signal !== undefined })
    return enrichment
  },
  close: async () => {},
}
const embedder: Embedder = {
  model: 'letters',
  dimensions: 4,
  cosineFloor: 0,
  embed: async (texts) =>
    texts.map((text) => {
      const counts = ['a', 'e', 'i', 'o'].map((letter) => text.split(letter).length)
      const length = Math.hypot(...counts)
      return Float32Array.from(counts, (count) => count / length)
    }),
  close: async () => {},
}
const understanding = createUnderstanding({ enricher, embedder })
afterAll(() => understanding.close())

test('a document is extracted, enriched, cut, embedded: the head first, then the text in order', async () => {
  const file = await fixtureFile('documents/sample.docx')
  const { extraction, chunks, vectors, ...understood } = await understanding.understand(file, {
    signal: new AbortController().signal,
  })
  expect(understood.enrichment).toBe(enrichment)
  expect(seen).toContainEqual({ filename: 'sample.docx', text: extraction.text, signal: true })
  expect(chunks[0]).toMatchObject({
    start: 0,
    end: 0,
    text: expect.stringContaining('A report on one year.'),
  })
  expect(chunks.length).toBeGreaterThan(1)
  for (const { text, start, end } of chunks.slice(1)) expect(extraction.text.slice(start, end)).toBe(text)
  expect(chunks.at(-1)!.end).toBe(extraction.text.length)
  expect(vectors).toMatchObject({ model: 'letters', dimensions: 4 })
  expect(vectors.chunks).toHaveLength(chunks.length)
  expect(Math.hypot(...vectors.combined)).toBeCloseTo(1, 5)
  expect(vectors.short).toHaveLength(64)
})

test('a file without words has its head alone', async () => {
  const { extraction, chunks } = await understanding.understand(await fixtureFile('audio/sample.mp3'), {})
  expect(extraction.text).toBe('')
  expect(chunks).toHaveLength(1)
  expect(chunks[0]!.text).toContain('Test Tone')
})

test('a recording or photo that no model perceived has a warning that names the setting', async () => {
  const folder = await scratchFolder()
  onTestFinished(() => folder.remove())
  const { data, info } = noisyPicture(400, 300)
  const bytes = await sharp(data, { raw: info })
    .withExif({ IFD2: { ExposureTime: '1/60', FNumber: '28/10' } })
    .jpeg()
    .toBuffer()
  const photo = sourceFile(await folder.write('photo.jpg', bytes), bytes)
  const sound = await fixtureFile('audio/sample.mp3')
  const warningsOf = async (perceives: { sees: boolean; hears: boolean } | null, file: SourceFile) => {
    const perceiver = perceives && { ...perceives, perceive: async ({ extraction }: Perceived) => extraction }
    const other = createUnderstanding({ enricher, embedder, perceiver })
    onTestFinished(() => other.close())
    return (await other.read(file, {})).extraction.warnings
  }
  const transcription = 'The recording was not transcribed: MEDIALOG_TRANSCRIPTION_MODEL names no model.'
  const vision = 'The photo was not described: MEDIALOG_VISION_MODEL names no model.'
  expect(await warningsOf(null, sound)).toEqual([transcription])
  expect(await warningsOf({ sees: true, hears: false }, sound)).toEqual([transcription])
  expect(await warningsOf({ sees: false, hears: true }, sound)).toEqual([])
  expect(await warningsOf(null, photo)).toContain(vision)
  expect(await warningsOf({ sees: true, hears: false }, photo)).not.toContain(vision)
})

test('the same file gives the same bytes', async () => {
  const file = await fixtureFile('documents/sample.pdf')
  const once = await understanding.understand(file, {})
  expect(await understanding.understand(file, {})).toEqual(once)
})

test('what is kept of a file gives the same vectors again, others by another embedder', async () => {
  const { chunks, vectors } = await understanding.understand(await fixtureFile('documents/sample.docx'), {})
  const kept = chunks.map(({ text }) => ({ text }))
  expect(await understanding.embed(kept)).toEqual(vectors)
  const atOnce: number[] = []
  const other: Embedder = {
    ...embedder,
    model: 'other',
    embed: (texts, options) => {
      atOnce.push(texts.length)
      return embedder.embed(texts, options)
    },
  }
  expect(await understanding.embed(kept, { embedder: other, textsAtOnce: 1 })).toEqual({
    ...vectors,
    model: 'other',
  })
  expect(atOnce).toEqual(kept.map(() => 1))
})

test('an abort ends the work with its reason', async () => {
  const reason = new Error('cancelled by the caller')
  const work = understanding.understand(await fixtureFile('documents/sample.pdf'), {
    signal: AbortSignal.abort(reason),
  })
  await expect(work).rejects.toBe(reason)
})
