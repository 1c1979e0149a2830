import { expect, test } from 'vitest'
import { useServer } from '../harness/suite.ts'

const server = useServer()

const upload = async (n: number, fields: Record<string, string> = {}): Promise<string> =>
  (await server.client.upload(`receipt-${n}.txt`, `The heron number ${n} stands in the reeds.`, fields)).body.data
    .media_id

test('single', async () => {
  const id = await upload(1)
  const t = Date.now()
  const { status, body } = await server.client.request('DELETE', `/v1/media/${id}?receipt=true`)
  console.log(status, Date.now() - t, JSON.stringify(body, null, 1))
  await upload(2, { collection_id: 'x' })
  await upload(3, { collection_id: 'x' })
  const r = await server.client.request('DELETE', `/v1/media/collections/x?receipt=true`)
  console.log(JSON.stringify(r.body, null, 1))
  expect(status).toBe(200)
})
