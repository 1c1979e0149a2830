import { expect, test } from 'vitest'
import { vectorOf } from './testing/openai-server.ts'
import { useServer } from './testing/opened.ts'

const it = useServer()
const embedder = (settings = {}) => it.open('embedding', settings).embedder!

test('texts become unit vectors in their order, many calls if need be', async () => {
  const texts = Array.from({ length: 150 }, (_, i) => `text number ${'abcdefghij'[i % 10]} ${'z'.repeat(i)}`)
  const made = embedder()
  const { model, dimensions, cosineFloor } = made
  expect({ model, dimensions, cosineFloor }).toEqual({
    model: 'compatible:test-1/8',
    dimensions: 8,
    cosineFloor: 0.2,
  })
  const vectors = await made.embed(texts)
  expect(vectors).toHaveLength(150)
  for (const [i, vector] of vectors.entries()) {
    expect(vector).toBeInstanceOf(Float32Array)
    expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
    const expected = vectorOf(texts[i]!, 8)
    const length = Math.hypot(...expected)
    expect([...vector].map((x) => x * length)).toEqual(expected.map((x) => expect.closeTo(x, 3)))
  }
  expect(it.server.requests.map(({ body }) => body.input.length)).toEqual([64, 64, 22])
  expect(it.server.requests[0]).toMatchObject({ path: '/v1/embeddings', body: { model: 'test-1' } })
})

test('a query is asked for once', async () => {
  const made = embedder()
  const [first] = await made.embed(['seal'], { priority: 'query' })
  const expected = Float32Array.from(first!)
  first!.fill(0)
  expect(await made.embed(['seal'], { priority: 'query' })).toEqual([expected])
  expect(it.server.requests).toHaveLength(1)
})

test('queries have a call of their own while documents wait', async () => {
  const open = Promise.withResolvers<void>()
  it.server.gate = open.promise
  const made = embedder({ callsAtOnce: 2 })
  const documents = [made.embed(['a']), made.embed(['b']), made.embed(['c'])]
  await expect.poll(() => it.server.load.now, { timeout: 30_000 }).toBe(1)
  const query = made.embed(['q'], { priority: 'query' })
  await expect.poll(() => it.server.load.now, { timeout: 30_000 }).toBe(2)
  expect(it.server.requests.map(({ body }) => body.input[0])).toEqual(['a', 'q'])
  open.resolve()
  await Promise.all([...documents, query])
})

test.each([
  ['other-dimensions', 'its vectors have 9 numbers instead of 8'],
  ['too-few', null],
  ['zeros', 'it holds a vector without a direction'],
  ['bad-json', null],
  [{ status: 500 }, 'failed (500)'],
] as const)('%s: nothing stands in for it', async (fault, message) => {
  it.server.alwaysFault = fault === 'bad-json' ? { status: 200, body: '{ "data": 7' } : fault
  await expect(embedder().embed(['a', 'b'])).rejects.toMatchObject({
    name: 'ProviderUnavailable',
    message: expect.stringContaining(message ?? 'could not be read'),
  })
})
