import {
  InvalidNote,
  openNote,
  parseVerifierKey,
  signNote,
  verifierKey,
  type NoteSigner,
} from '@medialog/contract/signed-note'
import type { KeyHandover } from '@medialog/domain'
import type { EventStore } from '../ports/index.ts'
import { recordedCheckpoints } from './recorded-checkpoints.ts'

/** The key that signed before: the private key, or the public one where the private one is lost. */
export type FormerKey = NoteSigner | Pick<NoteSigner, 'publicKey'>

/** Public keys that prove checkpoints, in the form that verifiers of signed notes take. */
export interface PublicKeys {
  current: string
  /** Of keys that were in use before, oldest first. */
  former: string[]
  /** The notes by which each of them, the oldest first, was followed by the next. */
  handovers: string[]
}

const HEADER = 'medialog signing key handover'

const textOf = (name: string, former: string, key: string): string =>
  `${[name, HEADER, former, key].join('\n')}\n`

/** The handover of the log with that name, signed by both keys where both are at hand. */
export function handover(name: string, former: FormerKey, signer: NoteSigner): KeyHandover {
  const [old, key] = [former, signer].map(({ publicKey }) => verifierKey({ name, publicKey })) as [
    string,
    string,
  ]
  const signers = 'sign' in former ? [former, signer] : [signer]
  return { former: old, key, note: signNote(textOf(name, old, key), name, ...signers) }
}

/**
 * The keys that the present key makes trusted: the one that it replaced by a note that it signed, the one that was
 * replaced by that, and so on. A key in the log is not trusted for being there: a process that can append to the log could
 * have put it there.
 * @param former the key that the operator names besides
 */
export async function trustedKeys(
  log: Pick<EventStore, 'read'>,
  current: string,
  former: FormerKey | null,
): Promise<PublicKeys> {
  const recorded: KeyHandover[] = []
  for await (const { event } of recordedCheckpoints(log))
    if (event?.type === 'SigningKeyReplaced') recorded.push(event)
  const { name } = parseVerifierKey(current)
  const named = former && verifierKey({ name, publicKey: former.publicKey })
  const trusted = named === null || named === current ? [current] : [current, named]
  const handovers: string[] = []
  // Grows while it is gone through.
  for (const key of trusted)
    for (const one of recorded)
      if (one.key === key && !handovers.includes(one.note) && isSignedByNext(one)) {
        if (!trusted.includes(one.former)) trusted.push(one.former)
        handovers.push(one.note)
      }
  return { current, former: trusted.slice(1).toReversed(), handovers: handovers.toReversed() }
}

function isSignedByNext({ former, key, note }: KeyHandover): boolean {
  try {
    const [old, next] = [parseVerifierKey(former), parseVerifierKey(key)]
    return old.name === next.name && openNote(note, [next]).text === textOf(next.name, former, key)
  } catch (error) {
    if (error instanceof InvalidNote) return false
    throw error
  }
}
