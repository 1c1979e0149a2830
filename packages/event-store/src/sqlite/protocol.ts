import type { LogPosition, Revision, StreamName } from '@medialog/kernel'
import type { EncodedEvent } from '../encoded-event.ts'

/** Requests and outcomes cross as flat lists of these: cloning objects costs more than writing the rows. */
export type Field = string | number

/** What the log's thread and its writer say to each other. Events cross as JSON texts: nothing is cloned by structure. */
export type ToWriter =
  | { kind: 'append'; fields: Field[] }
  | { kind: 'truncate'; ticket: number; stream: StreamName; before: Revision }
  | { kind: 'proven'; position: LogPosition }
  | { kind: 'close' }

export type FromWriter =
  | { kind: 'open' }
  | { kind: 'damaged'; what: string }
  | { kind: 'failed'; message: string }
  | { kind: 'done'; fields: Field[] }

export interface AppendRequest {
  stream: StreamName
  /** -1 for a stream that is not there. */
  expected: Revision
  events: EncodedEvent[]
}

export interface TruncateRequest {
  stream: StreamName
  before: Revision
}

export type Outcome =
  | { kind: 'recorded'; events: string[] }
  | { kind: 'conflict'; actual: Revision | null }
  | { kind: 'unavailable'; message: string }
  | { kind: 'truncated' }

/** The ticket, stream, expected revision and count, then five fields an event. */
export function encodeAppend(
  fields: Field[],
  ticket: number,
  { stream, expected, events }: AppendRequest,
): void {
  fields.push(ticket, stream, expected, events.length)
  for (const { id, type, version, metadata, data } of events) fields.push(id, type, version, metadata, data)
}

export function decodeAppends(
  fields: readonly Field[],
  into: { tickets: number[]; requests: AppendRequest[] },
): void {
  let at = 0
  const text = () => fields[at++] as string
  const number = () => fields[at++] as number
  while (at < fields.length) {
    into.tickets.push(number())
    const request: AppendRequest = { stream: text() as StreamName, expected: number(), events: [] }
    for (let count = number(); count > 0; count--)
      request.events.push({ id: text(), type: text(), version: number(), metadata: text(), data: text() })
    into.requests.push(request)
  }
}

/** The ticket and kind, then what the kind says: the count of texts and the texts, the revision, or the message. */
export function encodeOutcome(fields: Field[], ticket: number, outcome: Outcome): void {
  fields.push(ticket, outcome.kind)
  if (outcome.kind === 'recorded') fields.push(outcome.events.length, ...outcome.events)
  if (outcome.kind === 'conflict') fields.push(outcome.actual ?? -1)
  if (outcome.kind === 'unavailable') fields.push(outcome.message)
}

export function* decodeOutcomes(fields: readonly Field[]): Generator<{ ticket: number; outcome: Outcome }> {
  let at = 0
  const next = () => fields[at++]!
  const outcome = (kind: Outcome['kind']): Outcome => {
    switch (kind) {
      case 'recorded': {
        const count = next() as number
        return { kind, events: fields.slice(at, (at += count)) as string[] }
      }
      case 'conflict': {
        const actual = next() as Revision
        return { kind, actual: actual < 0 ? null : actual }
      }
      case 'unavailable':
        return { kind, message: next() as string }
      case 'truncated':
        return { kind }
    }
  }
  while (at < fields.length) yield { ticket: next() as number, outcome: outcome(next() as Outcome['kind']) }
}
