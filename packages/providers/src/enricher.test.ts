import type { ImageFacts } from '@medialog/application/ports'
import { expect, test } from 'vitest'
import { ENRICHED, extractionOf, offlineEnricher } from './testing/offline.ts'
import { useServer } from './testing/opened.ts'

const it = useServer()
const enrich = (text: string, facts?: Parameters<typeof extractionOf>[1]) =>
  it.open('enrichment').enriching(offlineEnricher()).enrich(extractionOf(text, facts), 'a "file".txt')

test('summary, description, topics and entities are the model’s, within limits; the rest stays', async () => {
  it.server.says = () =>
    JSON.stringify({
      summary: 's'.repeat(5_000),
      description: ' It is a\nletter. ',
      topics: ['  sea  ', 'sea', '', ...Array.from({ length: 30 }, (_, i) => `t${i}`)],
      entities: {
        people: Array.from({ length: 500 }, (_, i) => `Person ${i}`),
        organizations: ['x'.repeat(1_000)],
        locations: ['Seoul\u0000'],
        objects: [],
        concepts: [],
        planets: ['Mars'],
      },
    })
  const { summary, topics, entities, ...rest } = await enrich('Dear Ada.')
  expect(summary).toHaveLength(600)
  expect(topics).toEqual(['sea', 't0', 't1', 't2', 't3'])
  expect(entities.people).toHaveLength(20)
  expect(entities.organizations[0]).toHaveLength(100)
  expect(entities).toMatchObject({ locations: ['Seoul'], objects: [] })
  expect(entities).not.toHaveProperty('planets')
  const { keywords, categories, emotions, quality } = ENRICHED
  expect(rest).toEqual({
    description: 'It is a\nletter.',
    keywords,
    categories,
    emotions,
    quality,
    model: 'compatible:test-1 + offline-1',
  })
})

test('what the model does not give is made offline, with a warning', async () => {
  it.server.alwaysFault = 'other-json'
  expect(await enrich('Dear Ada.')).toEqual({
    ...ENRICHED,
    warnings: [
      'Summary, topics and entities were made offline. The model’s answer could not be used: it has another form than was asked for.',
    ],
  })
})

test('a file without words is not sent; a picture that was looked at is', async () => {
  const image: ImageFacts = {
    mediaType: 'image',
    width: 1,
    height: 1,
    colorMode: 'RGB',
    dominantColors: [],
    exif: { Artist: 'Ada' },
  }
  expect(await enrich('', image)).toBe(ENRICHED)
  expect(it.server.requests).toEqual([])
  const seen = { model: 'v', description: 'A dog.', sceneType: 'beach', elements: ['dog'] }
  expect((await enrich('', { ...image, seen })).model).toBe('compatible:test-1 + offline-1')
})

test('of a long text an excerpt is sent: beginning, middle, end', async () => {
  const paragraphs = Array.from({ length: 4_000 }, (_, i) => `Paragraph ${i} of the book.`)
  await enrich(paragraphs.join('\n\n'))
  const sent = JSON.stringify(it.server.requests[0]!.body)
  for (const number of [0, 2_050, 3_999]) expect(sent).toContain(`Paragraph ${number} of`)
  expect(sent).not.toContain('Paragraph 1500 of')
  expect(sent.length).toBeLessThan(16_000)
})
