import { hash, randomBytes } from 'node:crypto'
import type { BrokenEvent } from '@medialog/application/ports'
import type { RecordedEvent, Revision, StreamName } from '@medialog/kernel'

/**
 * The chain that audit proves, one for each stream and the same in every engine. All values are lower-case hex:
 *
 *     digest = SHA-256( salt ‖ canonical JSON of data )
 *     hash   = SHA-256( prev ‖ canonical JSON of {id, metadata, revision, stream, type, version} ‖ digest )
 *     prev   = hash of the stream's event before; of revision 0: SHA-256( name of the stream )
 *
 * where ‖ joins the UTF-8 of the hex digits and of the JSON. The salt is 16 random bytes kept beside the payload and
 * erased with it: the digest that stays proves the chain, and does not reveal a payload that can be guessed.
 */
export interface ChainedEvent extends RecordedEvent {
  /** Null once the payload was erased; `data` is empty then and only `digest` speaks for it. */
  salt: string | null
  digest: string
}

export interface Link {
  digest: string
  hash: string
}

export const firstPrev = (stream: StreamName): string => sha256(stream)

const SALT_DIGITS = 32
let saltPool = ''

/** 16 random bytes in hex. Drawn from the system's generator 256 at a time: one call each costs more than the hashing. */
export function newSalt(): string {
  if (saltPool.length === 0) saltPool = randomBytes(16 * 256).toString('hex')
  const salt = saltPool.slice(-SALT_DIGITS)
  saltPool = saltPool.slice(0, -SALT_DIGITS)
  return salt
}

/** The event's place in the chain. `header` is `headerJson`'s, `data` the payload's canonical JSON. */
export function link(prev: string, header: string, salt: string, data: string): Link {
  const digest = sha256(salt + data)
  return { digest, hash: sha256(prev + header + digest) }
}

/** Canonical JSON of what the hash covers besides the payload; `metadata` is canonical JSON already. */
export const headerJson = (event: {
  id: string
  stream: StreamName
  revision: Revision
  type: string
  version: number
  metadata: string
}): string =>
  `{"id":${JSON.stringify(event.id)},"metadata":${event.metadata},"revision":${event.revision},` +
  `"stream":${JSON.stringify(event.stream)},"type":${JSON.stringify(event.type)},"version":${event.version}}`

/** An event as the chain sees it. */
export interface Links extends Link {
  /** `headerJson`'s. */
  header: string
  /** Canonical JSON; null with `salt` once erased. */
  data: string | null
  salt: string | null
  prev: string
}

/** The event is what its own hash says, and follows another one than stands before it. */
export const BROKEN_PREV = 'prev is not the hash of the event before'

/** What is wrong with the event's links, or null: first of all with itself. `expectedPrev` is null where what came before it was erased. */
export function brokenLink(
  { header, data, salt, digest, prev, hash }: Links,
  expectedPrev: string | null,
): string | null {
  if (salt !== null && digest !== sha256(salt + data)) return 'the payload is not the one recorded'
  if (hash !== sha256(prev + header + digest)) return 'the header is not the one recorded'
  if (expectedPrev !== null && prev !== expectedPrev) return BROKEN_PREV
  return null
}

/** Where it is and what is wrong, for people. */
export const describeBroken = ({ position, stream, revision, reason }: BrokenEvent): string =>
  `position ${position}${stream === null ? '' : `, revision ${revision} of ${stream}`}: ${reason}`

const sha256 = (text: string): string => hash('sha256', text, 'hex')
