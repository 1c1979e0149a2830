import type { AudioFacts, ImageFacts, SourceFile } from '@medialog/application/ports'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { extractionOf } from './testing/offline.ts'
import { useServer } from './testing/opened.ts'

const it = useServer()
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'medialog-test-'))
})
afterAll(() => rm(folder, { recursive: true }))

const PICTURE = Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 1, 2, 3)
const image: ImageFacts = {
  mediaType: 'image',
  width: 1,
  height: 1,
  colorMode: 'RGB',
  dominantColors: [],
  exif: {},
}
const audio: AudioFacts = { mediaType: 'audio', duration: 3, sampleRate: 8_000, channels: 1, tags: {} }

async function file(format: string, size = 200): Promise<SourceFile> {
  const path = join(folder, `file.${format}`)
  await writeFile(path, `ID3\u0004${'x'.repeat(196)}`)
  const mediaType = format === 'jpg' ? 'image' : 'audio'
  return {
    path,
    filename: `file.${format}`,
    size,
    format: { name: format, mediaType, mimeType: '', extensions: [], maxBytes: 1e8 },
  }
}

describe('a picture', () => {
  const perceive = async (picture: Uint8Array | null = PICTURE) =>
    it
      .open('vision')
      .perceiver!.perceive({ file: await file('jpg'), extraction: extractionOf('', image), picture })

  test('is sent as its copy and seen', async () => {
    it.server.says = () =>
      JSON.stringify({
        description: 'A red car.',
        scene_type: 'street\n',
        visual_elements: ['car', 'car', 'tree'],
      })
    const { facts, warnings } = await perceive()
    expect(facts).toEqual({
      ...image,
      seen: {
        model: 'compatible:test-1',
        description: 'A red car.',
        sceneType: 'street',
        elements: ['car', 'tree'],
      },
    })
    expect(warnings).toEqual([])
    const [, user] = it.server.requests[0]!.body.messages
    expect(user.content[1].image_url.url).toBe(
      `data:image/jpeg;base64,${Buffer.from(PICTURE).toString('base64')}`,
    )
  })

  test('that cannot be seen says so', async () => {
    it.server.alwaysFault = { status: 500 }
    expect(await perceive()).toMatchObject({
      facts: image,
      warnings: ['The picture was not described. The model provider failed (500).'],
    })
    expect((await perceive(null)).warnings).toEqual([
      'The picture was not looked at by the vision model: no copy could be made.',
    ])
  })

  test('is nothing to listen to', async () => {
    const extraction = extractionOf('', image)
    const { perceiver } = it.open('transcription')
    expect(perceiver!.sees).toBe(false)
    expect(await perceiver!.perceive({ file: await file('jpg'), extraction, picture: null })).toBe(extraction)
  })
})

describe('a recording', () => {
  const perceive = async (source: SourceFile) =>
    it
      .open('transcription')
      .perceiver!.perceive({ file: source, extraction: extractionOf('', audio), picture: null })

  test('is written down', async () => {
    const { text, language, facts } = await perceive(await file('mp3'))
    expect({ text, language, facts }).toEqual({
      text: it.server.transcript,
      language: 'en',
      facts: { ...audio, transcribedBy: 'compatible:test-1' },
    })
    expect(it.server.requests[0]).toMatchObject({
      path: '/v1/audio/transcriptions',
      body: { model: 'test-1', file: { size: 200 } },
    })
  })

  test('without speech has no text', async () => {
    it.server.transcript = ''
    expect(await perceive(await file('mp3'))).toMatchObject({ text: '', language: null, warnings: [] })
  })

  test('that speaks without end is cut', async () => {
    it.server.transcript = 'word '.repeat(100_000)
    expect((await perceive(await file('mp3'))).text).toHaveLength(100_000)
  })

  test.each([
    ['wma', 200],
    ['mp3', 25_000_001],
  ])('%s of %i bytes is not sent', async (format, size) => {
    const source = await file(format, size)
    expect(it.open('transcription').perceiver!.hears(source)).toBe(false)
    expect(await perceive(source)).toEqual(extractionOf('', audio))
    expect(it.server.requests).toEqual([])
  })

  test('has the times that the provider says, and no confidence', async () => {
    it.server.segments = [
      { text: ' The ferry leaves at nine.', start: 0, end: 2.5 },
      { text: ' ', start: 2.5, end: 3 },
      { text: ' Bring a coat.', start: 6, end: 7.25 },
    ]
    expect(await perceive(await file('mp3'))).toMatchObject({
      text: 'The ferry leaves at nine.\n\nBring a coat.',
      language: 'en',
      facts: {
        transcribedBy: 'compatible:test-1',
        segments: [
          { start: 0, end: 2.5, at: 0 },
          { start: 6, end: 7.25, at: 27 },
        ],
      },
    })
  })

  test('whose times are impossible has its text alone', async () => {
    for (const [start, end] of [
      [3, 1],
      [-1, 1],
    ] as const) {
      it.server.segments = [{ text: 'The ferry.', start, end }]
      const { text, facts } = await perceive(await file('mp3'))
      expect([text, facts]).toEqual([it.server.transcript, { ...audio, transcribedBy: 'compatible:test-1' }])
    }
  })

  test('whose parts speak without end is cut', async () => {
    it.server.segments = Array.from({ length: 300 }, (_, n) => ({
      text: 'word '.repeat(100),
      start: n,
      end: n + 1,
    }))
    const { text } = await perceive(await file('mp3'))
    expect(text.length).toBeLessThanOrEqual(100_300)
  })

  test('that cannot be heard says so', async () => {
    it.server.alwaysFault = { status: 503 }
    expect((await perceive(await file('mp3'))).warnings).toEqual([
      'The provider did not write down what is said. The model provider failed (503).',
    ])
  })
})
