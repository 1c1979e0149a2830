import { hash, timingSafeEqual } from 'node:crypto'
import { Recent } from '@medialog/kernel'
import type { Principal } from '../core/context.ts'
import { InvalidApiKey } from '../core/errors.ts'
import type { Ports } from '../core/ports.ts'
import { EngineUnavailable, type Accounts, type KeyRecord } from '../ports/index.ts'

/** `mlk_<8 characters of key id>_<secret>` */
const API_KEY = /^mlk_([0-9a-z]{8})_([0-9A-Za-z]{32,64})$/

const digestBytes = (secret: string): Buffer => hash('sha256', secret, 'buffer')
export const digestOf = (secret: string): string => digestBytes(secret).toString('hex')

/** How many keys are remembered between requests. */
const REMEMBERED_KEYS = 10_000
/** What was read of a key holds no longer than that, wherever the key was revoked. */
const FRESH_MS = 1_000

type KnownKey = NonNullable<Awaited<ReturnType<Accounts['key']>>>

interface Remembered {
  known: KnownKey
  /** Of the read models, and by the clock, when it was read. */
  position: number
  at: number
}

export type AuthenticatePorts = Pick<Ports, 'accounts' | 'projections' | 'streams' | 'clock'>

/**
 * Answers the owner of an API key, or throws InvalidApiKey, the same for every reason. What was read of a key holds until
 * any event reached the read models (revoking waits for that before it answers), and for a second at most. Where the read
 * model is unavailable, a key that was seen before is looked up in the log, which is current.
 */
export function createAuthenticate({
  accounts,
  projections,
  streams,
  clock,
}: AuthenticatePorts): (apiKey: string | undefined) => Promise<Principal> {
  const remembered = new Recent<string, Remembered>(REMEMBERED_KEYS)

  async function find(keyId: string, digest: Buffer): Promise<KnownKey | null> {
    const position = projections.position('accounts')
    const at = clock.now()
    const last = remembered.get(keyId)
    if (last?.position === position && at >= last.at && at - last.at < FRESH_MS) return last.known
    try {
      const known = await accounts.key(keyId)
      if (known) remembered.set(keyId, { known, position, at })
      return known
    } catch (error) {
      if (!(error instanceof EngineUnavailable) || !last) throw error
      return fromLog(last.known, digest, error)
    }
  }

  /** @throws `away` where the log does not tell whether the secret is still valid: one that was replaced since */
  async function fromLog({ key, account }: KnownKey, digest: Buffer, away: Error): Promise<KnownKey | null> {
    const { selected } = await streams.load('account', key.accountId, ({ status, tier, keys }) => {
      const now = keys.get(key.keyId)
      return status === 'unopened' || !now ? null : { status, tier, ...now }
    })
    if (selected === null) return null
    const { status, tier, revoked } = selected
    const isRotated = selected.digest !== key.digest
    if (isRotated && !revoked && !sameDigest(selected.digest, digest)) throw away
    const previous = isRotated ? null : key.previous
    return {
      key: { ...key, digest: selected.digest, previous, revoked },
      account: { ...account, status, tier },
    }
  }

  return async (apiKey) => {
    const [, keyId, secret] = API_KEY.exec(apiKey ?? '') ?? []
    const digest = digestBytes(secret ?? '')
    const known = keyId && secret ? await find(keyId, digest) : null
    if (!known || !isValid(known.key, digest, clock.now()) || known.account.status === 'closed')
      throw new InvalidApiKey()
    const { accountId, tier, status } = known.account
    return { accountId, keyId: keyId!, capabilities: known.key.capabilities, tier, status }
  }
}

function isValid(key: KeyRecord, digest: Buffer, now: number): boolean {
  if (key.revoked || (key.expiresAt !== null && key.expiresAt <= now)) return false
  if (sameDigest(key.digest, digest)) return true
  return key.previous !== null && now < key.previous.validUntil && sameDigest(key.previous.digest, digest)
}

/** In constant time: how much of a guess was right is not told by how long the answer took. */
const sameDigest = (known: string, digest: Buffer): boolean =>
  timingSafeEqual(Buffer.from(known, 'hex'), digest)
