import { createEmbedder } from '@medialog/embedder'
import { createOfflineEnricher, createUnderstanding } from '@medialog/understanding'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { detections, type Detected } from './detection.ts'
import { concludedOf, f1, keySentences, missed, type Concluded, type Named } from './evaluate.ts'

let all: Concluded[]
let detected: Detected[]
let close: () => Promise<unknown>
beforeAll(async () => {
  const embedder = await createEmbedder()
  const enricher = createOfflineEnricher({ embedder })
  const understanding = createUnderstanding({ enricher, embedder })
  close = () => Promise.all([understanding.close(), enricher.close(), embedder.close()])
  all = await concludedOf(understanding)
  detected = await detections(understanding)
}, 240_000)
afterAll(() => close())

/** What to look at when a figure falls: of the texts that may be looked at. */
const told = (): string =>
  all
    .filter(({ label }) => !label.heldOut)
    .flatMap(({ label, found }) =>
      (['people', 'organizations', 'locations'] as const).map((kind) => {
        const { wrong, lacking } = missed(found.entities[kind], label[kind])
        return `${label.file} ${kind}: wrong ${wrong.join(', ')}; lacking ${lacking.join(', ')}`
      }),
    )
    .join('\n')

const heldOut = (): Concluded[] => all.filter(({ label }) => label.heldOut)

test('the set is large enough to say something, and half of it is held out', () => {
  expect(all.length).toBeGreaterThanOrEqual(40)
  expect(heldOut()).toHaveLength(all.length / 2)
  expect(all.filter(({ label }) => label.key.length > 0).length).toBeGreaterThanOrEqual(30)
})

test('names: F1 of at least .85 on all texts and on those held out', () => {
  expect(f1(all), told()).toBeGreaterThanOrEqual(0.85)
  expect(f1(heldOut()), told()).toBeGreaterThanOrEqual(0.85)
})

test.each<[Named, number]>([
  ['people', 0.9],
  ['organizations', 0.8],
  ['locations', 0.85],
])('%s: F1 of at least %d on the texts held out', (kind, least) => {
  expect(f1(heldOut(), [kind]), told()).toBeGreaterThanOrEqual(least)
})

test('nine of ten summaries hold a key sentence, eight of ten of those held out', () => {
  expect(keySentences(all)).toBeGreaterThanOrEqual(0.9)
  expect(keySentences(heldOut())).toBeGreaterThanOrEqual(0.8)
})

test('type, language and encoding of every sample are told', () => {
  expect(detected.length).toBeGreaterThan(80)
  expect(detected.map(({ path, told }) => [path, told])).toEqual(
    detected.map(({ path, right }) => [path, right]),
  )
})
