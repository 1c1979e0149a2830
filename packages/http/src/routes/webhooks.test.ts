import { afterAll, beforeAll, expect, it } from 'vitest'
import { KEY, refusal, startEdge, success, type Edge } from '../testing/edge.ts'
import { WEBHOOK_ID } from '../testing/fake-webhooks.ts'

let edge: Edge
beforeAll(async () => {
  edge = await startEdge()
})
afterAll(() => edge[Symbol.asyncDispose]())

const PATH = `/v1/webhooks/wh_${WEBHOOK_ID}`
const URL = 'https://receiver.example/hook'
const post = (path: string, json?: object) => edge.fetch(path, { method: 'POST', ...(json && { json }) })

it('a webhook is added with its secret, types by their names with their prefix or without', async () => {
  const types = ['medialog.MediaIngested', 'MediaIngested', 'MediaDeleted']
  const { data } = await success(await post('/v1/webhooks', { url: URL, types }), 'addWebhook')
  expect(data).toMatchObject({
    webhook: { webhook_id: `wh_${WEBHOOK_ID}`, url: URL, types: ['MediaIngested', 'MediaDeleted'] },
    secret: expect.stringMatching(/^whsec_/),
  })
  const wrong = await refusal(await post('/v1/webhooks', { url: URL, types: ['ApiKeyIssued'] }))
  expect(wrong).toMatchObject({ status: 400, details: { parameter: 'types[0]' } })
})

it('webhooks are listed, read, changed and removed', async () => {
  const { data: listed } = await success(await edge.fetch('/v1/webhooks'), 'listWebhooks')
  expect(listed.webhooks.map(({ status }) => status)).toEqual(['active'])
  const { data: read } = await success(await edge.fetch(PATH), 'readWebhook')
  expect(read).toMatchObject({ pending: 1, dead: 0, last_delivered_at: null })
  const patch = { method: 'PATCH', json: { paused: true } }
  expect((await success(await edge.fetch(PATH, patch), 'changeWebhook')).data.status).toBe('paused')
  await success(await edge.fetch(PATH, { method: 'DELETE' }), 'removeWebhook')
  expect(await refusal(await edge.fetch('/v1/webhooks/wh_nothing'))).toMatchObject({
    status: 404,
    code: 'RESOURCE_NOT_FOUND',
  })
})

it('deliveries are shown with their attempts, and a webhook goes back to the position of one', async () => {
  const { data } = await success(await edge.fetch(`${PATH}/deliveries?status=pending`), 'listDeliveries')
  const [delivery] = data.deliveries
  expect(delivery).toMatchObject({
    type: 'MediaIngested',
    status: 'pending',
    attempts: [{ status_code: 500, error: '500 was answered', duration_ms: 12 }],
  })
  const dead = await success(await edge.fetch(`${PATH}/deliveries?status=dead`), 'listDeliveries')
  expect(dead.data.pagination.total_items).toBe(0)
  for (const after of [delivery!.position, 'beginning'])
    await success(await post(`${PATH}/replay`, { after }), 'replayWebhook')
  expect(edge.fake.rewinds).toEqual([17, 0])
  expect(await refusal(await post(`${PATH}/replay`, { after: 'somewhere' }))).toMatchObject({
    status: 400,
    details: { parameter: 'after' },
  })
  const resend = `${PATH}/deliveries/${delivery!.delivery_id}/resend`
  expect((await success(await post(resend), 'resendDelivery')).data.delivery_id).toBe(delivery!.delivery_id)
  expect(await refusal(await post(`${PATH}/deliveries/x/resend`))).toMatchObject({ status: 404 })
})

it('a secret is replaced, and a test is sent', async () => {
  const { data } = await success(await post(`${PATH}/secret`), 'rotateWebhookSecret')
  expect(data).toMatchObject({
    secret: expect.stringMatching(/^whsec_/),
    former_valid_until: expect.any(String),
  })
  await success(await post(`${PATH}/test`), 'testWebhook')
})

it('a secret, and what is sent, are not for a key that may only write', async () => {
  edge.fake.principals.set('writer', {
    ...edge.fake.principals.get(KEY)!,
    keyId: 'writer00',
    capabilities: ['write'],
  })
  const asWriter = { method: 'POST', key: 'writer' }
  for (const [path, init] of [
    ['/v1/webhooks', { ...asWriter, json: { url: URL } }],
    [PATH, { ...asWriter, method: 'PATCH', json: { url: URL } }],
    [`${PATH}/secret`, asWriter],
  ] as const)
    expect(await refusal(await edge.fetch(path, init))).toMatchObject({
      status: 403,
      code: 'INSUFFICIENT_PERMISSIONS',
      details: { required_capability: 'read' },
    })
})
