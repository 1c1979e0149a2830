import { expect, test } from 'vitest'
import type { Decoding } from './decoding.ts'
import { RATE } from './mel.ts'
import { FIRST_STAMP, LANGUAGES } from './vocabulary.ts'
import { BEGINNING, hearWindow, type Heard, type Progress } from './window.ts'

const WORDS =
  'the ferry leaves at nine bring a coat and that is all there was to say of it today \u0007friend\n'.split(
    ' ',
  )
const stamp = (second: number): number => FIRST_STAMP + Math.round(50 * second)
/** Ids that stand for words. */
const said = (count: number, from = 0): number[] => Array.from({ length: count }, (_, at) => from + at)

interface Window {
  /** Probabilities of languages, and of no speech. */
  language?: Record<string, number>
  noSpeech?: number
  ids: number[]
  sure?: number
  isLoop?: boolean
  /** Of the second attempt, if there is one. */
  again?: Omit<Window, 'again'>
}

/** Hears those windows, one after the other, and notes what it was asked. */
function listener(...windows: Window[]) {
  const asked: { frames: number; language: string; unrepeated: boolean }[] = []
  let window: Window
  let frames = 0
  return {
    asked,
    async listen(_mel: Float32Array, length: number) {
      frames = length
      window = windows.shift()!
      const { language = { en: 0.99 }, noSpeech = 0.01 } = window
      return { noSpeech, languages: LANGUAGES.map((name) => language[name] ?? 0) }
    },
    async decode(language: number, decoding: Decoding): Promise<boolean> {
      const isAgain = asked.at(-1)?.frames === frames && window.again !== undefined
      asked.push({ frames, language: LANGUAGES[language]!, unrepeated: isAgain })
      const { ids, sure = -0.1, isLoop = false } = isAgain ? window.again! : window
      for (const id of ids) decoding.said.push({ id, sure })
      Object.defineProperty(decoding, 'sure', { value: sure })
      return !isLoop
    },
    textOf: (ids: readonly number[]) => ids.map((id) => ` ${WORDS[id % WORDS.length]}`).join(''),
  }
}

const recording = (seconds: number, voice: [number, number][]) => ({
  samples: seconds * RATE,
  voice: voice.map(([start, end]) => [start * RATE, end * RATE] as const),
  read: (start: number, end: number) => new Int16Array(end - start),
})

/** All windows of it. */
async function hear(model: ReturnType<typeof listener>, recorded: ReturnType<typeof recording>) {
  const segments: Heard['segments'] = []
  const places: number[] = []
  let progress: Progress = BEGINNING
  while (progress.at < recorded.samples) {
    const heard = await hearWindow(model, recorded, progress)
    segments.push(...heard.segments)
    progress = heard.progress
    places.push(progress.at / RATE)
  }
  return { segments, places }
}
const phrase = (start: number, end: number, ids: number[]): number[] => [stamp(start), ...ids, stamp(end)]

test('a window is what is said, with its times in the recording', async () => {
  const model = listener({ ids: [...phrase(0, 3, said(5)), ...phrase(4, 6, said(3, 5))] })
  const { segments } = await hear(model, recording(20, [[10, 17]]))
  expect(segments).toEqual([
    { start: 10, end: 13, text: 'the ferry leaves at nine', confidence: 0.905 },
    { start: 14, end: 16, text: 'bring a coat', confidence: 0.905 },
  ])
  // As long as it is, and a second of silence.
  expect(model.asked).toEqual([{ frames: 820, language: 'en', unrepeated: false }])
})

test('what cannot be shown is left out', async () => {
  const { segments } = await hear(
    listener({ ids: phrase(0, 4, said(4, WORDS.length - 3)) }),
    recording(9, [[0, 4]]),
  )
  expect(segments.map(({ text }) => text)).toEqual(['it today friend the'])
})

test('nothing is listened to where no one can be speaking', async () => {
  const model = listener()
  expect(await hear(model, recording(600, []))).toEqual({ segments: [], places: [600] })
})

test('a window ends in a pause, and the next begins behind it', async () => {
  const text = phrase(0, 21.5, said(16))
  const { places } = await hear(
    listener({ ids: text }, { ids: text }),
    recording(60, [
      [0, 22],
      [23, 45],
    ]),
  )
  expect(places[0]).toBeCloseTo(22.2, 5)
  expect(places.at(-1)).toBe(60)
})

test('without a pause the last phrase comes again from its beginning', async () => {
  const first = { ids: [...phrase(0, 24, said(16)), stamp(24), ...said(3)] }
  const { segments, places } = await hear(
    listener(first, { ids: phrase(0, 12, said(16)) }),
    recording(40, [[0, 36.5]]),
  )
  expect(places[0]).toBe(24)
  expect(segments.map(({ start, end }) => [start, end])).toEqual([
    [0, 24],
    [24, 36],
  ])
})

test('speech behind the last stamp is listened to again', async () => {
  const { places } = await hear(
    listener({ ids: phrase(0, 5, said(8)) }, { ids: phrase(0, 7, said(8)) }),
    recording(20, [
      [0, 5],
      [8, 15],
    ]),
  )
  expect(places[0]).toBeCloseTo(7.8, 5)
})

test('a recording that goes back again and again ends after about three times', async () => {
  const never = Array.from({ length: 1_000 }, () => ({
    ids: [...phrase(0, 1.5, said(3)), ...phrase(1.5, 1.6, said(2))],
  }))
  const model = listener(...never)
  const { places } = await hear(model, recording(300, [[0, 300]]))
  expect(places.at(-1)).toBe(300)
  const seconds = model.asked.reduce((sum, { frames }) => sum + frames / 100, 0)
  expect(seconds).toBeLessThan(3 * 300 + 60)
})

test('speech in no language that the model knows is not guessed', async () => {
  const unclear = { ids: phrase(0, 20, said(16)), language: { la: 0.5, it: 0.3, ro: 0.2 }, sure: -0.8 }
  expect((await hear(listener(unclear), recording(20, [[0, 20]]))).segments).toEqual([])
  // What is written surely, or clearly in a language, is kept; so is an unclear window of a recording whose language is known.
  for (const clear of [
    { ...unclear, sure: -0.3 },
    { ...unclear, language: { la: 0.7, it: 0.3 } },
  ])
    expect((await hear(listener(clear), recording(20, [[0, 20]]))).segments).toHaveLength(1)
  const known = { ids: unclear.ids, language: { la: 0.99 } }
  const twoWindows = recording(50, [
    [0, 20],
    [25, 45],
  ])
  expect((await hear(listener(known, unclear), twoWindows)).segments).toHaveLength(2)
})

test('the language is that of all windows so far, or of one that is clear', async () => {
  const ids = phrase(0, 20, said(16))
  const model = listener(
    { ids, language: { es: 0.8, it: 0.2 } },
    { ids, language: { es: 0.4, it: 0.6 } },
    { ids, language: { fr: 0.97 } },
  )
  await hear(
    model,
    recording(75, [
      [0, 21],
      [25, 46],
      [50, 71],
    ]),
  )
  expect(model.asked.map(({ language }) => language)).toEqual(['es', 'es', 'fr'])
})

test.each<[string, Window]>([
  ['the model doubts that it is speech, and is unsure', { ids: said(9), noSpeech: 0.4, sure: -1.2 }],
  ['it is hardly any language', { ids: said(9), noSpeech: 0.7, language: { en: 0.3 } }],
  ['it is very unsure', { ids: said(9), sure: -1.6 }],
  ['it says little in a long time', { ids: [stamp(0), 0, stamp(20)], noSpeech: 0.4 }],
  [
    'it says the same again and again',
    { ids: [0, 5, 10].flatMap((second) => phrase(second, second + 4, said(6))) },
  ],
])('nothing is written where %s', async (_, window) => {
  expect((await hear(listener(window), recording(22, [[0, 21]]))).segments).toEqual([])
})

test('what goes round in circles is tried once more, without repeats', async () => {
  const loop = Array.from({ length: 60 }, (_, at) => at % 2)
  const model = listener({ ids: loop, isLoop: true, again: { ids: phrase(0, 20, said(16)) } })
  const { segments } = await hear(model, recording(22, [[0, 21]]))
  expect(model.asked.map(({ unrepeated }) => unrepeated)).toEqual([false, true])
  expect(segments).toHaveLength(1)
  const lost = listener({ ids: loop, isLoop: true, again: { ids: loop, isLoop: true } })
  expect((await hear(lost, recording(22, [[0, 21]]))).segments).toEqual([])
})
