import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { EngineUnavailable } from '@medialog/application/ports'
import { UnusableModel } from '@medialog/embedder'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Spoken } from '../pool/protocol.ts'
import { scratchFolder } from '../testing/fixtures.ts'
import { spokenFixture } from '../testing/long-recording.ts'
import { RATE } from './mel.ts'
import { openTranscriber } from './folder.ts'
import { createTranscriber, type Transcriber } from './transcriber.ts'

vi.setConfig({ testTimeout: 120_000 })

const FOLDER = fileURLToPath(new URL('../../model/whisper-base', import.meta.url))
/** Read by a volunteer of LibriVox from Jane Austen, "Sense and Sensibility"; two and a half seconds of silence before the last. */
const READ =
  'And Mr. John Dashwood had then leisure to consider how much there might be prudently in his power to do for them. He was not an ill-disposed young man, unless to be rather cold-hearted and rather selfish is to be ill-disposed. He might even have been made amiable himself.'

let scratch: Awaited<ReturnType<typeof scratchFolder>>
let transcriber: Transcriber
let recorded: Spoken

beforeAll(async () => {
  scratch = await scratchFolder()
  transcriber = createTranscriber(FOLDER)
  recorded = await spokenFixture()
})
afterAll(async () => {
  await transcriber.close()
  await scratch.remove()
})

/** A copy: a transcriber lets go of the sound. */
const spoken = (): Spoken => ({ ...recorded })
const wordsOf = (text: string): string[] => text.toLowerCase().match(/\p{L}+/gu) ?? []
/** The same recording again and again. */
const long = (times: number): Spoken => ({
  sound: Buffer.concat(Array.from({ length: times }, () => recorded.sound)),
  voice: Array.from({ length: times }, (_, time) =>
    recorded.voice.map(
      ([start, end]) =>
        [start + (time * recorded.sound.length) / 2, end + (time * recorded.sound.length) / 2] as const,
    ),
  ).flat(),
})

test('writes down what is said, by sentences with their times', async () => {
  const progress: number[] = []
  const { language, segments } = await transcriber.transcribe(spoken(), scratch.path, {
    onProgress: (share) => progress.push(share),
  })
  expect(language).toBe('en')
  const heard = wordsOf(segments.map(({ text }) => text).join(' '))
  const missed = wordsOf(READ).filter((word) => !heard.includes(word))
  expect(missed.length).toBeLessThanOrEqual(3)
  expect(heard.length).toBeLessThanOrEqual(wordsOf(READ).length + 3)
  const last = segments.at(-1)!
  expect(last.text).toContain('amiable')
  expect(last.start).toBeGreaterThan(16.5)
  for (const [at, { start, end, confidence }] of segments.entries()) {
    expect(start).toBeGreaterThanOrEqual(segments[at - 1]?.end ?? 0)
    expect(end).toBeGreaterThan(start)
    expect(end - start).toBeLessThanOrEqual(30)
    expect(end).toBeLessThanOrEqual(recorded.sound.length / 2 / RATE)
    expect(confidence).toBeGreaterThan(0.5)
    expect(confidence).toBeLessThanOrEqual(1)
  }
  expect(progress.at(-1)).toBe(1)
  expect(await readdir(scratch.path)).toEqual([])
})

test('writes down the same sound alike', async () => {
  const [one, other] = await Promise.all([1, 2].map(() => transcriber.transcribe(spoken(), scratch.path)))
  expect(other).toEqual(one)
})

test('a short recording of another account comes between windows of a long one', async () => {
  const ended: string[] = []
  const work = (accountId: string, sound: Spoken) =>
    transcriber.transcribe(sound, scratch.path, { accountId }).then(() => ended.push(accountId))
  const longOne = work('long', long(6))
  await work('short', spoken())
  expect(ended).toEqual(['short'])
  await longOne
})

test('who leaves waits no longer, and the next has its turn', async () => {
  const leaving = new AbortController()
  const left = transcriber.transcribe(long(6), scratch.path, {
    signal: leaving.signal,
    onProgress: () => leaving.abort(new Error('gone')),
  })
  await expect(left).rejects.toThrow('gone')
  expect(await readdir(scratch.path)).toEqual([])
  expect((await transcriber.transcribe(spoken(), scratch.path)).language).toBe('en')
})

test('sound in which nothing is said has no language', async () => {
  const noise = Int16Array.from({ length: 10 * RATE }, (_, i) => Math.round(9_000 * Math.sin(i * i)))
  const sound = Buffer.from(noise.buffer)
  expect(await transcriber.transcribe({ sound, voice: [[0, noise.length]] }, scratch.path)).toEqual({
    language: null,
    segments: [],
  })
  expect(await transcriber.transcribe({ sound, voice: [] }, scratch.path)).toEqual({
    language: null,
    segments: [],
  })
})

test('without its model it is unavailable', async () => {
  await using without = Object.assign(createTranscriber(scratch.path), {
    [Symbol.asyncDispose]: () => without.close(),
  })
  await expect(without.transcribe(spoken(), scratch.path)).rejects.toThrow(EngineUnavailable)
})

test('a folder that is named is tried out', async () => {
  await expect(openTranscriber(`${scratch.path}/nowhere`)).rejects.toThrow(/cannot be used: ENOENT/)
  for (const file of ['encoder.onnx', 'decoder.onnx', 'tokens.bin']) await scratch.write(file, 'garbage')
  await expect(openTranscriber(scratch.path)).rejects.toThrow(UnusableModel)
  await using named = Object.assign(await openTranscriber(FOLDER), {
    [Symbol.asyncDispose]: () => named.close(),
  })
  expect(named.model).toBe('whisper-base')
})

test('where its sound cannot wait, staging is unavailable', async () => {
  const away = transcriber.transcribe(spoken(), `${scratch.path}/nowhere`)
  await expect(away).rejects.toMatchObject({ engine: 'staging' })
})
