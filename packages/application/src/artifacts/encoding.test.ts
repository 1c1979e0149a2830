import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Facts, Understood } from '../ports/understanding.ts'
import {
  decodeUnderstood,
  encodeUnderstood,
  readThumbnails,
  readUnderstood,
  UnreadableArtifact,
} from './encoding.ts'

const FACTS: Facts[] = [
  { mediaType: 'document', pageCount: null, wordCount: 3, encoding: 'EUC-KR' },
  {
    mediaType: 'image',
    width: 2,
    height: 1,
    colorMode: 'RGB',
    dominantColors: [{ hex: '#ff0000', name: 'red', share: 1 }],
    exif: { Make: 'Leica', ISO: 200 },
    kind: { name: 'photo', confidence: 0.9 },
    preview: { width: 2, height: 1, bytes: 300 },
  },
  { mediaType: 'video', duration: 1.5, width: 4, height: 3, frameRate: 23.976 },
  {
    mediaType: 'video',
    duration: 1.5,
    width: 4,
    height: 3,
    frameRate: 25,
    keyFrames: [
      {
        time: 0.04,
        dominantColors: [{ hex: '#ff0000', name: 'red', share: 1 }],
        brightness: 0.3,
        kind: 'plain',
      },
    ],
  },
  { mediaType: 'audio', duration: 2, sampleRate: 44_100, channels: 2, tags: { title: 'Étude' } },
  {
    mediaType: 'audio',
    duration: 2,
    sampleRate: 44_100,
    channels: 2,
    loudness: { integrated: null, peak: -3.5, silence: 1 },
    tags: {},
  },
  {
    mediaType: 'model',
    vertexCount: 8,
    triangleCount: 12,
    materialCount: 1,
    materials: ['Wood'],
    parts: ['Cube'],
    colors: [{ hex: '#804000', name: 'brown' }],
    dimensions: { x: 1, y: 2, z: 3 },
  },
]

function understood(facts: Facts, text: string, vectors: Understood['vectors']): Understood {
  return {
    extraction: {
      format: 'x',
      mediaType: facts.mediaType,
      text,
      title: null,
      author: 'Ada',
      language: 'en',
      sections: [{ title: 'One', level: 1, contentType: 'heading', start: 0 }],
      tables: [{ rows: 2, columns: 3, start: 7 }],
      figureCount: 0,
      facts,
      truncated: false,
      warnings: ['cut'],
      recognition: {
        method: 'm',
        languages: ['eng'],
        words: 2,
        dropped: 1,
        confidence: 0.8,
        pages: [1],
      },
    },
    enrichment: {
      summary: 's',
      description: 'd',
      topics: ['t'],
      keywords: [],
      categories: [],
      emotions: [],
      entities: { people: ['Ada'], organizations: [], locations: [], objects: [], concepts: [] },
      quality: { clarity: 0.1, completeness: 1, relevance: 0, technical: 0.3 },
      model: 'medialog-offline-2',
    },
    chunks: vectors.chunks.map((_, index) => ({ text: `${text} ${index}`, start: 0, end: index })),
    vectors,
  }
}

const vectorsOf = (
  dimensions: number,
  shorter: number,
  chunks: number,
): fc.Arbitrary<Understood['vectors']> => {
  const vector = (length: number) => fc.float32Array({ minLength: length, maxLength: length, noNaN: true })
  return fc.record({
    model: fc.string({ unit: 'grapheme' }),
    dimensions: fc.constant(dimensions),
    combined: vector(dimensions),
    short: vector(shorter),
    chunks: fc.array(vector(dimensions), { minLength: chunks, maxLength: chunks }),
  })
}

const anyVectors = fc
  .tuple(fc.nat(12), fc.nat(5), fc.nat(4))
  .chain(([dimensions, shorter, chunks]) => vectorsOf(dimensions, shorter, chunks))

const filesOf = (value: Understood) =>
  new Map(encodeUnderstood(value).map(({ name, bytes }) => [name, bytes]))

type Files = Map<string, Uint8Array>
const nameIn = (files: Files, stem: string): string =>
  files.keys().find((name) => name.startsWith(`${stem}-`))!

const store = (kept: Files) => ({
  get: async (_: unknown, name: string) => kept.get(name) ?? null,
  names: async () => [...kept.keys()],
})

describe('artifacts of an ingest', () => {
  test('come back as they were, the same bytes each time', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...FACTS),
        fc.string({ unit: 'grapheme' }),
        anyVectors,
        (facts, text, vectors) => {
          const value = understood(facts, text, vectors)
          const files = filesOf(value)
          expect(decodeUnderstood(files)).toEqual(value)
          expect(filesOf(decodeUnderstood(files))).toEqual(files)
        },
      ),
    )
  })

  test('pictures of key frames have a file of their own, which other media lack', async () => {
    const value = understood(FACTS[3]!, '', fc.sample(vectorsOf(4, 2, 1), 1)[0]!)
    const thumbnails = [new Uint8Array([0xff, 0xd8, 0xff]), new Uint8Array(300).fill(7)]
    const files = filesOf({ ...value, thumbnails })
    expect(decodeUnderstood(files)).toEqual({ ...value, thumbnails })
    const read = (kept: typeof files) => readThumbnails(store(kept), {} as never, [...files.keys()])
    expect(await read(files)).toEqual(thumbnails)
    expect(await read(filesOf(value))).toBeNull()
    expect(await readThumbnails(store(files), {} as never, [...filesOf(value).keys()])).toBeNull()
    const damaged = new Map(files).set(nameIn(files, 'key-frames'), new TextEncoder().encode('["/9'))
    expect(await read(damaged)).toBeNull()
    files.set(nameIn(files, 'key-frames'), Buffer.from('["?"]'))
    expect(() => decodeUnderstood(files)).toThrow(UnreadableArtifact)
  })

  test('of two attempts have no name in common, and each attempt finds its own together', async () => {
    const one = understood(FACTS[0]!, 'one', fc.sample(vectorsOf(4, 2, 1), 1)[0]!)
    const two = understood(FACTS[0]!, 'two', one.vectors)
    const files = new Map([...filesOf(one), ...filesOf(two)])
    expect(files.size).toBe(4)
    expect(await readUnderstood(store(files), {} as never)).toEqual(one)
    files.delete(nameIn(filesOf(one), 'understood'))
    expect(await readUnderstood(store(files), {} as never)).toEqual(two)
    files.delete(nameIn(filesOf(two), 'vectors'))
    expect(await readUnderstood(store(files), {} as never)).toBeNull()
  })

  test.each([1, 3])(
    'without the pictures that were made with them are not taken for whole',
    async (place) => {
      const value = understood(FACTS[place]!, '', fc.sample(vectorsOf(4, 2, 1), 1)[0]!)
      const files = filesOf({ ...value, thumbnails: [new Uint8Array(300).fill(7)] })
      expect(await readUnderstood(store(files), {} as never)).not.toBeNull()
      files.delete(nameIn(files, 'key-frames'))
      expect(await readUnderstood(store(files), {} as never)).toBeNull()
    },
  )

  test('of earlier releases, whose names have no digits, are read', () => {
    const value = understood(FACTS[0]!, 'text', fc.sample(vectorsOf(4, 2, 1), 1)[0]!)
    const [words, vectors] = [...filesOf(value).values()] as [Uint8Array, Uint8Array]
    const files = new Map([
      ['understood.json', words],
      ['vectors.bin', vectors],
    ])
    expect(decodeUnderstood(files)).toEqual(value)
  })

  test('do not depend on the order of keys', () => {
    const value = understood(FACTS[0]!, 'text', fc.sample(vectorsOf(4, 2, 1), 1)[0]!)
    const reversed = Object.fromEntries(Object.entries(value.extraction).reverse())
    expect(filesOf({ ...value, extraction: reversed as never })).toEqual(filesOf(value))
  })

  test('that could not be read back are never written', () => {
    const value = understood(FACTS[2]!, 'text', fc.sample(vectorsOf(4, 2, 1), 1)[0]!)
    ;(value.extraction.facts as { frameRate: number }).frameRate = Number.POSITIVE_INFINITY
    expect(() => encodeUnderstood(value)).toThrow('frameRate')
  })

  const value = understood(FACTS[0]!, 'text', fc.sample(vectorsOf(4, 2, 1), 1)[0]!)
  test.each([
    ['a missing file', (files: Files) => files.delete(nameIn(files, 'vectors'))],
    ['no JSON', (files: Files) => files.set(nameIn(files, 'understood'), new Uint8Array([0xff]))],
    ['other JSON', (files: Files) => files.set(nameIn(files, 'understood'), Buffer.from('{}'))],
    ['no vectors', (files: Files) => files.set(nameIn(files, 'vectors'), new Uint8Array(40))],
    [
      'cut vectors',
      (files: Files) => {
        const name = nameIn(files, 'vectors')
        files.set(name, files.get(name)!.slice(0, -4))
      },
    ],
    [
      'vectors of another item',
      (files: Files) => {
        const others = filesOf(understood(FACTS[0]!, 'text', fc.sample(vectorsOf(4, 2, 2), 1)[0]!))
        files.set(nameIn(files, 'vectors'), others.get(nameIn(others, 'vectors'))!)
      },
    ],
  ])('%s is refused', (_, damage) => {
    const files = filesOf(value)
    damage(files)
    expect(() => decodeUnderstood(files)).toThrow(UnreadableArtifact)
  })
})
