import { NO_STREAM, WrongExpectedVersionError, type EventData } from '@eventstore/db-client'
import type { Availability } from './availability.ts'
import type { Connection } from './connection.ts'
import type { Limits } from './limits.ts'

export interface AppendingPorts {
  availability: Availability
  connection: Connection
  limits: Limits
}

/** Sends an event behind the revision (null: none), made once, so that trying again is no second one. False where another came first. */
export async function appendAt(
  { availability, connection, limits }: AppendingPorts,
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
