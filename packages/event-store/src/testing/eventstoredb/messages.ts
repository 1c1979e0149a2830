import streams from '@eventstore/db-client/generated/streams_pb.js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import type { AppendReq, AppendResp, ReadResp } from '@eventstore/db-client/generated/streams_pb.js'
import { Metadata, status, type ServiceError } from '@grpc/grpc-js'
import { DELETED } from './server-log.ts'
import type { Expected, Proposed, Stored } from './stored.ts'

/** What the double says on the wire, as the server does. */
export function eventMessage(event: Stored): ReadResp {
  const id = new shared.UUID()
  id.setString(event.id)
  const identifier = new shared.StreamIdentifier()
  identifier.setStreamName(Buffer.from(event.stream))
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent()
  recorded.setId(id)
  recorded.setStreamIdentifier(identifier)
  recorded.setStreamRevision(event.revision === DELETED ? '9223372036854775807' : String(event.revision))
  recorded.setCommitPosition(String(event.position))
  recorded.setPreparePosition(String(event.position))
  recorded.getMetadataMap().set('type', event.type)
  recorded.getMetadataMap().set('content-type', event.contentType)
  recorded.getMetadataMap().set('created', String(event.created))
  recorded.setCustomMetadata(event.metadata)
  recorded.setData(event.data)
  const read = new streams.ReadResp.ReadEvent()
  read.setEvent(recorded)
  read.setCommitPosition(String(event.position))
  const message = new streams.ReadResp()
  message.setEvent(read)
  return message
}

export function streamNotFound(stream: string): ReadResp {
  const identifier = new shared.StreamIdentifier()
  identifier.setStreamName(Buffer.from(stream))
  const missing = new streams.ReadResp.StreamNotFound()
  missing.setStreamIdentifier(identifier)
  const message = new streams.ReadResp()
  message.setStreamNotFound(missing)
  return message
}

export function confirmation(id: string): ReadResp {
  const confirmed = new streams.ReadResp.SubscriptionConfirmation()
  confirmed.setSubscriptionId(id)
  const message = new streams.ReadResp()
  message.setConfirmation(confirmed)
  return message
}

export function checkpoint(position: number): ReadResp {
  const reached = new streams.ReadResp.Checkpoint()
  reached.setCommitPosition(String(position))
  reached.setPreparePosition(String(position))
  const message = new streams.ReadResp()
  message.setCheckpoint(reached)
  return message
}

export function caughtUp(): ReadResp {
  const message = new streams.ReadResp()
  message.setCaughtUp(new streams.ReadResp.CaughtUp())
  return message
}

export function appended(revision: number, position: number): AppendResp {
  const at = new streams.AppendResp.Position()
  at.setCommitPosition(String(position))
  at.setPreparePosition(String(position))
  const success = new streams.AppendResp.Success()
  success.setCurrentRevision(String(revision))
  success.setPosition(at)
  const message = new streams.AppendResp()
  message.setSuccess(success)
  return message
}

/** A wrong revision is an answer, not an error. */
export function conflict(expected: Expected, actual: number | null): AppendResp {
  const wrong = new streams.AppendResp.WrongExpectedVersion()
  if (expected < 0) wrong.setExpectedNoStream(new shared.Empty())
  else wrong.setExpectedRevision(String(expected))
  if (actual === null) wrong.setCurrentNoStream(new shared.Empty())
  else wrong.setCurrentRevision(String(actual))
  const message = new streams.AppendResp()
  message.setWrongExpectedVersion(wrong)
  return message
}

export function proposedIn(message: AppendReq.ProposedMessage): Proposed {
  const map = message.getMetadataMap()
  return {
    // A server keeps the number, and writes it its own way.
    id: message.getId()!.getString().toLowerCase(),
    type: map.get('type')!,
    contentType: map.get('content-type')!,
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  }
}

export const nameIn = (identifier: { getStreamName_asU8(): Uint8Array } | undefined): string =>
  Buffer.from(identifier!.getStreamName_asU8()).toString()

/** An error as the server's own code sends it: its kind is in the trailers. */
export function failure(code: status, details: string, trailers: Record<string, string> = {}): ServiceError {
  const metadata = new Metadata()
  for (const [name, value] of Object.entries(trailers)) metadata.set(name, value)
  return Object.assign(new Error(details), { code, details, metadata })
}

export const unavailable = (): ServiceError => failure(status.UNAVAILABLE, 'Server Is Not Ready')

export const notLeader = ({ host, port }: { host: string; port: number }): ServiceError =>
  failure(status.NOT_FOUND, `Leader info available. Host: ${host}. Port: ${port}`, {
    exception: 'not-leader',
    'leader-endpoint-host': host,
    'leader-endpoint-port': String(port),
  })

export const streamDeleted = (stream: string): ServiceError =>
  failure(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': stream,
  })

export const accessDenied = (isKnown: boolean): ServiceError =>
  failure(isKnown ? status.PERMISSION_DENIED : status.UNAUTHENTICATED, 'Access Denied', {
    ...(isKnown && { exception: 'access-denied' }),
  })

export const tooLarge = (most: number): ServiceError =>
  failure(status.INVALID_ARGUMENT, `Maximum Append Size of ${most} Exceeded.`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': String(most),
  })
