import { hash, timingSafeEqual } from 'node:crypto'
import { BEGINNING } from '@medialog/kernel'
import type { Principal } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { InvalidApiKey } from '../errors.ts'
import type { Accounts, KeyRecord } from '../ports/index.ts'

/** `mlk_<8 characters of key id>_<secret>` */
const API_KEY = /^mlk_([0-9a-z]{8})_([0-9A-Za-z]{32,64})$/

export const digestOf = (secret: string): string => hash('sha256', secret)

/** How many keys are remembered between requests. */
const REMEMBERED_KEYS = 10_000

type KnownKey = Awaited<ReturnType<Accounts['key']>>

/**
 * Answers the owner of an API key, or throws InvalidApiKey, the same for every reason. What was read of a key is
 * remembered until any event reached the read models: revoking waits for that before it answers.
 */
export function createAuthenticate({
  accounts,
  projections,
  clock,
}: Pick<Dependencies, 'accounts' | 'projections' | 'clock'>): (
  apiKey: string | undefined,
) => Promise<Principal> {
  const remembered = new Map<string, KnownKey>()
  let rememberedAt = BEGINNING

  async function find(keyId: string): Promise<KnownKey> {
    const position = projections.position('accounts')
    if (position !== rememberedAt || remembered.size >= REMEMBERED_KEYS) remembered.clear()
    rememberedAt = position
    const known = remembered.get(keyId) ?? (await accounts.key(keyId))
    if (known && rememberedAt === position) remembered.set(keyId, known)
    return known
  }

  return async (apiKey) => {
    const [, keyId, secret] = API_KEY.exec(apiKey ?? '') ?? []
    const known = keyId && secret ? await find(keyId) : null
    if (!known || !isValid(known.key, digestOf(secret!), clock.now()) || known.account.status === 'closed')
      throw new InvalidApiKey()
    const { accountId, tier, status } = known.account
    return { accountId, keyId: keyId!, capabilities: known.key.capabilities, tier, status }
  }
}

function isValid(key: KeyRecord, digest: string, now: number): boolean {
  if (key.revoked || (key.expiresAt !== null && key.expiresAt <= now)) return false
  if (sameDigest(key.digest, digest)) return true
  return key.previous !== null && now < key.previous.validUntil && sameDigest(key.previous.digest, digest)
}

/** In constant time: how much of a guess was right is not told by how long the answer took. */
const sameDigest = (a: string, b: string): boolean =>
  timingSafeEqual(Buffer.from(a, 'hex'), Buffer.from(b, 'hex'))
