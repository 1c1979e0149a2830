import type { CloudEvent } from './operations.ts'

/** Why a message is not to be trusted. */
export class WebhookVerificationError extends Error {
  override name = 'WebhookVerificationError'
}

type HeadersOf = Headers | { readonly [name: string]: string | readonly string[] | undefined }

const TOLERANCE_SECONDS = 300

/**
 * The event of a webhook's message, if its signature and its time are right: https://www.standardwebhooks.com.
 * @param body the very bytes that came: JSON that was parsed and written again has another signature
 * @param secret as it was shown when the webhook was added, `whsec_…`
 * @throws WebhookVerificationError
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: HeadersOf,
  secret: string,
  {
    toleranceSeconds = TOLERANCE_SECONDS,
    now = Date.now(),
  }: { toleranceSeconds?: number; now?: number } = {},
): Promise<CloudEvent> {
  const header = (name: string): string => {
    const value = headers instanceof Headers ? headers.get(name) : [headers[name]].flat()[0]
    if (!value) throw new WebhookVerificationError(`The header ${name} is missing.`)
    return value
  }
  const id = header('webhook-id')
  const timestamp = header('webhook-timestamp')
  const age = now / 1000 - Number(timestamp)
  if (!/^\d+$/.test(timestamp) || Math.abs(age) > toleranceSeconds)
    throw new WebhookVerificationError(`The time of the message is more than ${toleranceSeconds} s off.`)
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const head = new TextEncoder().encode(`${id}.${timestamp}.`)
  const signed = new Uint8Array(head.byteLength + bytes.byteLength)
  signed.set(head)
  signed.set(bytes, head.byteLength)
  const key = await crypto.subtle.importKey(
    'raw',
    fromBase64(secret.replace(/^whsec_/, '')),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  )
  for (const signature of header('webhook-signature').split(' ')) {
    const [version, value] = signature.split(',')
    if (version === 'v1' && value && (await crypto.subtle.verify('HMAC', key, fromBase64(value), signed)))
      return JSON.parse(new TextDecoder().decode(bytes)) as CloudEvent
  }
  throw new WebhookVerificationError('No signature of the message is right.')
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    throw new WebhookVerificationError('A secret or signature is not base64.')
  }
}
