import { NO_STREAM, WrongExpectedVersionError, type EventData } from '@eventstore/db-client'
import type { TruncationPorts } from './truncations.ts'

/** Sends an event behind the revision (null: none), made once, so that trying again is no second one. False where another came first. */
export async function appendAt(
  { availability, connection, limits }: Pick<TruncationPorts, 'availability' | 'connection' | 'limits'>,
  stream: string,
  revision: bigint | null,
  event: EventData,
): Promise<boolean> {
  try {
    await availability.attempt(() =>
      connection.client.appendToStream(stream, event, {
        ...connection.call,
        deadline: limits.callMs,
        expectedRevision: revision ?? NO_STREAM,
      }),
    )
    return true
  } catch (error) {
    if (error instanceof WrongExpectedVersionError) return false
    throw error
  }
}
