import type { BrokenEvent } from '@medialog/application/ports'
import { canonicalJson, type Json, type Revision, type StreamName } from '@medialog/kernel'
import { brokenLink, firstPrev, headerJson, type ChainedEvent } from '../chain.ts'

export interface ChainReport {
  /** Events found good before the first bad one. */
  verified: number
  /** The first bad event, or null where all are good. */
  broken: BrokenEvent | null
}

/**
 * Recomputes the chain of one or many streams, their events in order (a stream from revision `from` on, or the whole
 * log). A stream may begin above revision 0, where its past was truncated: its first `prev` is taken as given.
 */
export async function verifyChain(
  events: AsyncIterable<ChainedEvent> | Iterable<ChainedEvent>,
): Promise<ChainReport> {
  const heads = new Map<StreamName, { revision: Revision; hash: string }>()
  let verified = 0
  for await (const event of events) {
    const { position, stream, revision, hash } = event
    const reason = whatIsWrong(event, heads.get(stream))
    if (reason) return { verified, broken: { position, stream, revision, reason } }
    heads.set(stream, { revision, hash })
    verified++
  }
  return { verified, broken: null }
}

function whatIsWrong(event: ChainedEvent, before: { revision: Revision; hash: string } | undefined) {
  const { stream, revision, salt } = event
  if (before && revision !== before.revision + 1)
    return `revision ${revision} follows revision ${before.revision}`
  const header = headerJson({ ...event, metadata: canonicalJson(event.metadata as unknown as Json) })
  const data = salt === null ? null : canonicalJson(event.data)
  return brokenLink({ ...event, header, data }, before?.hash ?? (revision === 0 ? firstPrev(stream) : null))
}
