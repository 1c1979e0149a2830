import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { verifyWebhook, WebhookVerificationError } from './webhooks.ts'

const KEY = Buffer.from('a secret of 24 bytes....')
const SECRET = `whsec_${KEY.toString('base64')}`
const NOW = 1_770_000_000_000
const BODY = '{"id":"e1","type":"medialog.MediaIngested","data":{"note":"ä"}}'

const signature = (id: string, timestamp: string, body: string, key = KEY): string =>
  `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`

function headersOf(seconds = NOW / 1000, key = KEY) {
  const timestamp = String(Math.round(seconds))
  return {
    'webhook-id': 'e1',
    'webhook-timestamp': timestamp,
    'webhook-signature': signature('e1', timestamp, BODY, key),
  }
}
const verified = (body: string | Uint8Array, headers: Parameters<typeof verifyWebhook>[1]) =>
  verifyWebhook(body, headers, SECRET, { now: NOW })

test('takes what was signed, as a text or bytes, with the headers of Node or of fetch', async () => {
  expect(await verified(BODY, headersOf())).toMatchObject({ id: 'e1', type: 'medialog.MediaIngested' })
  expect(await verified(Buffer.from(BODY), new Headers(headersOf()))).toMatchObject({ id: 'e1' })
})

test('takes either of two signatures: the secret was replaced', async () => {
  const old = headersOf(undefined, Buffer.from('another key'))
  const both = `${old['webhook-signature']} ${headersOf()['webhook-signature']}`
  expect(await verified(BODY, { ...old, 'webhook-signature': both })).toMatchObject({ id: 'e1' })
})

test.each([
  ['another body', BODY.replace('ä', 'a'), headersOf()],
  ['another id', BODY, { ...headersOf(), 'webhook-id': 'e2' }],
  ['another key', BODY, headersOf(undefined, Buffer.from('another key'))],
  ['an old message', BODY, headersOf(NOW / 1000 - 301)],
  ['a message of the future', BODY, headersOf(NOW / 1000 + 301)],
  ['no signature', BODY, { ...headersOf(), 'webhook-signature': undefined }],
  ['a signature that is none', BODY, { ...headersOf(), 'webhook-signature': 'v1,§' }],
  [
    'a signature of another version',
    BODY,
    { ...headersOf(), 'webhook-signature': headersOf()['webhook-signature'].replace('v1', 'v1a') },
  ],
  ['a time that is none', BODY, { ...headersOf(), 'webhook-timestamp': 'now' }],
])('refuses %s', async (_, body, headers) => {
  await expect(verified(body, headers)).rejects.toThrow(WebhookVerificationError)
})
