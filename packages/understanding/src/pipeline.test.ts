import { EngineUnavailable } from '@medialog/application/ports'
import type {
  AudioFacts,
  Embedder,
  Enricher,
  Enrichment,
  Extraction,
  Perceived,
  SourceFile,
} from '@medialog/application/ports/understanding'
import sharp from 'sharp'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { createUnderstanding } from './pipeline.ts'
import type { Transcriber, Written } from './speech/transcriber.ts'
import { fixtureFile, scratchFolder, sourceFile } from './testing/fixtures.ts'
import { noisyPicture } from './testing/noisy-picture.ts'
import { TaskLost } from './threads.ts'

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
    const perceiver = perceives && {
      sees: perceives.sees,
      hears: () => perceives.hears,
      perceive: async ({ extraction }: Perceived) => extraction,
    }
    const other = createUnderstanding({ enricher, embedder, perceiver })
    onTestFinished(() => other.close())
    return (await other.read(file, {})).extraction.warnings
  }
  const transcription = 'The recording was not transcribed: MEDIALOG_SPEECH is off.'
  const vision = 'The photo was not described: MEDIALOG_VISION_MODEL names no model.'
  expect(await warningsOf(null, sound)).toEqual([transcription])
  expect(await warningsOf({ sees: true, hears: false }, sound)).toEqual([transcription])
  expect(await warningsOf({ sees: false, hears: true }, sound)).toEqual([])
  expect(await warningsOf(null, photo)).toContain(vision)
  expect(await warningsOf({ sees: true, hears: false }, photo)).not.toContain(vision)
})

/** Hears the same in everything; asked for what it heard. */
function listening(transcript: Written | Error) {
  const heard: { seconds: number; voice: number; accountId: string | undefined }[] = []
  const transcriber: Transcriber = {
    model: 'ears',
    async transcribe({ sound, voice }, _beside, options) {
      heard.push({
        seconds: Math.round(sound.length / 32_000),
        voice: voice.length,
        accountId: options?.accountId,
      })
      if (transcript instanceof Error) throw transcript
      return transcript
    },
    close: async () => {},
  }
  return { heard, transcriber }
}
const SAID: Written = {
  language: 'en',
  segments: [
    { start: 0.5, end: 7, text: 'The ferry leaves at nine.', confidence: 0.9 },
    { start: 7, end: 9, text: 'Bring a coat.', confidence: 0.6 },
    { start: 18, end: 21, text: 'That is all.', confidence: 0.9 },
  ],
}
const reading = (options: Partial<Parameters<typeof createUnderstanding>[0]>) => {
  const other = createUnderstanding({ enricher, embedder, ...options })
  onTestFinished(() => other.close())
  return async (name: string) => other.understand(await fixtureFile(name), { accountId: 'a' })
}

test.each(['audio/speech.ogg', 'video/speech.webm'])(
  'what is said in %s is its text, with times',
  async (name) => {
    const { heard, transcriber } = listening(SAID)
    const { extraction, chunks, vectors } = await reading({ transcriber })(name)
    expect(heard).toEqual([
      { seconds: name.startsWith('audio') ? 21 : 13, voice: expect.any(Number), accountId: 'a' },
    ])
    const text = 'The ferry leaves at nine. Bring a coat.\n\nThat is all.'
    expect(extraction).toMatchObject({
      text,
      language: 'en',
      facts: {
        listened: true,
        transcribedBy: 'ears',
        segments: [
          { start: 0.5, end: 7, at: 0, confidence: 0.9 },
          { start: 7, end: 9, at: 26, confidence: 0.6 },
          { start: 18, end: 21, at: 41, confidence: 0.9 },
        ],
        passageTimes: [{ start: 0.5, end: 21 }],
      },
    })
    expect(extraction.warnings).toContain(
      'The text was written down by a machine (ears), which is 82 % sure of it.',
    )
    expect(chunks.map((chunk) => chunk.text)).toEqual([expect.any(String), text])
    expect(vectors.chunks).toHaveLength(2)
  },
)

test('each passage of a long recording has its own time', async () => {
  const segments = Array.from({ length: 60 }, (_, at) => ({
    start: 10 * at,
    end: 10 * at + 9,
    text: `Sentence number ${at} is about ferries and coats, about harbours, islands and winds.`,
    confidence: 0.9,
  }))
  const { transcriber } = listening({ language: 'en', segments })
  const { extraction, chunks } = await reading({ transcriber })('audio/speech.ogg')
  const { passageTimes } = extraction.facts as AudioFacts
  expect(passageTimes!.length).toBeGreaterThan(5)
  expect(passageTimes).toHaveLength(chunks.length - 1)
  for (const [at, { start, end }] of passageTimes!.entries()) {
    const numbers = chunks[at + 1]!.text.match(/\d+/g)!.map(Number)
    expect([start, end]).toEqual([10 * numbers[0]!, 10 * numbers.at(-1)! + 9])
    expect(end - start).toBeLessThanOrEqual(45)
  }
})

test('a recording without speech has an empty transcript, a film without sound has none', async () => {
  const { transcriber } = listening({ language: null, segments: [] })
  const { extraction } = await reading({ transcriber })('audio/sample.mp3')
  expect(extraction).toMatchObject({
    text: '',
    facts: { listened: true, transcribedBy: 'ears', segments: [] },
    warnings: [],
  })
  const silent = await reading({ transcriber })('video/recorded.webm')
  expect(silent.extraction.facts).toMatchObject({ listened: false })
  expect(silent.extraction.facts).not.toHaveProperty('transcribedBy')
})

test('a recording over which the model is lost is stored without what is said', async () => {
  const { transcriber } = listening(new TaskLost('speech recognition', 'the thread died over the recording'))
  const { extraction } = await reading({ transcriber })('audio/speech.ogg')
  expect(extraction.text).toBe('')
  expect(extraction.warnings).toEqual(['What is said could not be written down: the model was lost over it.'])
  const away = listening(new EngineUnavailable('speech recognition', 'too many recordings wait'))
  await expect(reading({ transcriber: away.transcriber })('audio/speech.ogg')).rejects.toThrow(
    EngineUnavailable,
  )
})

test('a perceiver goes before for what it hears, unless it gives nothing', async () => {
  const { heard, transcriber } = listening(SAID)
  let isAway = false
  const perceiver = {
    sees: false,
    hears: ({ format }: Pick<SourceFile, 'format'>) => format.name !== 'mp3',
    async perceive({ extraction }: Perceived): Promise<Extraction> {
      const { facts, warnings } = extraction
      if (facts.mediaType !== 'audio') return extraction
      if (isAway) return { ...extraction, warnings: [...warnings, 'The provider failed.'] }
      return facts.transcribedBy === undefined
        ? { ...extraction, text: 'Heard elsewhere.', facts: { ...facts, transcribedBy: 'elsewhere' } }
        : extraction
    },
  }
  const read = reading({ transcriber, perceiver })
  expect((await read('audio/speech.ogg')).extraction.text).toBe('Heard elsewhere.')
  expect(heard).toEqual([])
  for (const file of ['video/speech.webm', 'audio/sample.mp3'])
    expect((await read(file)).extraction).toMatchObject({
      text: expect.stringContaining('The ferry leaves at nine.'),
      facts: { transcribedBy: 'ears' },
    })
  isAway = true
  expect((await read('audio/speech.ogg')).extraction).toMatchObject({
    text: expect.stringContaining('The ferry leaves at nine.'),
    facts: { transcribedBy: 'ears' },
    warnings: ['The provider failed.', expect.stringContaining('written down by a machine (ears)')],
  })
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
