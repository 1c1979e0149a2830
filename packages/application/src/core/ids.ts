import { randomFillSync } from 'node:crypto'
import { AccountNotFound, type Place } from '@medialog/domain'
import { UUID_PATTERN, type Uuid } from '@medialog/kernel'
import { v5 as uuidv5, v7 as uuidv7 } from 'uuid'

/** Asking the system for random bytes costs a hundred times what an id does: it is done for many ids at once. */
const IDS_AT_ONCE = 512
const BYTES = 16
const pool = new Uint8Array(IDS_AT_ONCE * BYTES)
let next = pool.length

/** A fresh id (version 7); ids of a later millisecond sort later. */
export function newId(): Uuid {
  if (next === pool.length) {
    randomFillSync(pool)
    next = 0
  }
  next += BYTES
  return uuidv7({ random: pool.subarray(next - BYTES, next) })
}

/** The id of an account's item with these bytes: "the same content twice" is the item's own stream's to decide. */
export const mediaIdOf = (accountId: Uuid, sha256: string): Uuid => uuidv5(sha256, accountId)

/** The stream of one Idempotency-Key of an account. */
export const requestStreamOf = (accountId: Uuid, idempotencyKey: string): Uuid =>
  uuidv5(`request:${idempotencyKey}`, accountId)

/** The ingest of a job's n-th attempt, from 0: a claim that was released is never taken again. */
export const ingestIdOf = (jobId: Uuid, attempt: number): Uuid =>
  attempt === 0 ? jobId : uuidv5(`attempt:${attempt}`, jobId)

/** Of that generation of a collection there is one erasure: its id is derived from the generation. */
export const collectionErasureIdOf = (accountId: Uuid, { collection, generation }: Place): Uuid =>
  uuidv5(`erasure:collection:${collection}:${generation}`, accountId)

/** Names a place without telling its name. */
export const placeIdOf = (accountId: Uuid, { collection, generation }: Place): Uuid =>
  uuidv5(`place:${collection}:${generation}`, accountId)

/** An account is closed once. */
export const accountErasureIdOf = (accountId: Uuid): Uuid => uuidv5('erasure:account', accountId)

/** The account that the operator opens under an Idempotency-Key. */
export const accountIdOf = (idempotencyKey: string): Uuid => uuidv5(`account:${idempotencyKey}`, ACCOUNTS)

const ACCOUNTS = '6f1f9a52-7d0c-4c55-9f0b-0d7f3f6a2b41'

/** An account is opened with credit once. The operator's references have other ids. */
export const openingCreditIdOf = (accountId: Uuid): string => uuidv5('opening', accountId)

/** The same reference credits an account once. */
export const creditIdOf = (accountId: Uuid, reference: string): string =>
  uuidv5(`credit:${reference}`, accountId)

/** A malformed id cannot name an account's streams. @throws AccountNotFound */
export function requireAccountId(accountId: string): Uuid {
  if (!UUID_PATTERN.test(accountId)) throw new AccountNotFound()
  return accountId
}
