import { createHmac, hkdfSync } from 'node:crypto'
import type { Uuid } from '@medialog/kernel'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/**
 * The secret of that id, as its receiver gets it: made of the service's own key, and kept nowhere. A receiver with one of them
 * cannot derive the others.
 */
export const secretOf = (key: string, secretId: Uuid): string =>
  PREFIX +
  Buffer.from(hkdfSync('sha256', key, '', `medialog webhook ${secretId}`, SECRET_BYTES)).toString('base64')

/** Headers by the specification of Standard Webhooks; one signature for each secret. */
export function signedHeaders(
  secrets: readonly string[],
  { id, at, body }: { id: string; at: number; body: string },
): { [name: string]: string } {
  const timestamp = String(Math.floor(at / 1000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}
