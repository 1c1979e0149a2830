import { expect, test } from 'vitest'
import { filesHolding } from '../harness/files.ts'
import { useServer } from '../harness/suite.ts'

const server = useServer()

const holding = (needles: readonly (string | Buffer)[]) => filesHolding(server.folder, needles)

const vectorBytes = (vector: readonly number[]): Buffer =>
  Buffer.from(Float32Array.from(vector.slice(0, 16)).buffer)

async function expectErased(needles: readonly (string | Buffer)[]): Promise<void> {
  const deadline = Date.now() + 40_000
  let left = await holding(needles)
  while (left.length > 0 && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 200))
    left = await holding(needles)
  }
  expect(left).toEqual([])
}

async function uploadSecret(
  n: number,
  fields: Record<string, string> = {},
): Promise<{ id: string; needles: (string | Buffer)[] }> {
  const word = `zyxwvut${n}quokka`
  const text = `Secret memorandum: the ${word} project starts on Monday. Nobody outside may read about ${word}.`
  const { body } = await server.client.upload(`secret-${n}.txt`, text, { include_vectors: 'true', ...fields })
  const id: string = body.data.media_id
  // Read, searched and listed, so that every cache has seen it.
  await server.client.request('POST', '/v1/search', {
    json: { query: `memorandum ${n} project monday`, collections: 'all' },
  })
  return { id, needles: [word, vectorBytes(body.data.vectors.combined)] }
}

test('what is deleted is in no file within seconds, whichever way it was deleted', async () => {
  const kept = await uploadSecret(0)
  const alone = await uploadSecret(1)
  const together = await uploadSecret(2)
  const collected = await uploadSecret(3, { collection_id: 'doomed' })
  for (const { needles } of [kept, alone, together, collected])
    for (const needle of needles) expect((await holding([needle])).length).toBeGreaterThan(0)

  await server.client.request('DELETE', `/v1/media/${alone.id}`)
  await server.client.request('DELETE', '/v1/media/batch', {
    json: { media_ids: [together.id], reason: 'a test' },
  })
  await server.client.request('DELETE', '/v1/media/collections/doomed')
  await expectErased([...alone.needles, ...together.needles, ...collected.needles])
  expect((await server.client.request('GET', `/v1/media/${kept.id}`)).status).toBe(200)
})

test('erasing goes on after a kill -9', async () => {
  const doomed = await Promise.all([11, 12, 13].map((n) => uploadSecret(n, { collection_id: 'crashing' })))
  expect((await server.client.request('DELETE', '/v1/media/collections/crashing')).status).toBe(200)
  await server.killAndRestart()
  for (const { id } of doomed)
    expect((await server.client.request('GET', `/v1/media/${id}`)).status).toBe(404)
  await expectErased(doomed.flatMap(({ needles }) => needles))
})
