import { EngineUnavailable } from '@medialog/application'
import type { FeedEnd } from '@medialog/contract/http'
import type { z } from 'zod'
import { eventText } from '../answers/event-stream.ts'

export type EndReason = z.output<typeof FeedEnd>['reason']

const MESSAGES: Record<EndReason, string> = {
  stopping: 'The service is stopping; go on in a moment.',
  key_not_valid: 'The API key is not valid any more.',
  account_suspended:
    'The account was suspended: it can read, and go on following, but nothing that costs money.',
  too_slow: 'Nothing was taken for too long; go on from the last event.',
  unavailable: 'A part of the service is unavailable; resume in a moment.',
  failed: 'Something failed inside; it was logged.',
}

/** The last event of a feed that the service ends. */
export const endText = (reason: EndReason): string => eventText('end', { reason, message: MESSAGES[reason] })

export const reasonOf = (error: unknown): EndReason =>
  error instanceof EngineUnavailable ? 'unavailable' : 'failed'
