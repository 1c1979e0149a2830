import type { Uuid } from '@medialog/kernel'

// A refund's id says what it pays back: two that pay the same back are one.

const PREFIX = 'refund-'

/** Of all that is left of a charge. */
export const refundOfCharge = (chargeId: string): string => `${PREFIX}${chargeId}`

/** Of a file's part of its batch's charge. */
export const refundOfJob = (jobId: Uuid): string => `${PREFIX}${jobId}`

/** Of what a charge was too much, once it is known what the work cost. */
export const refundOfUnused = (chargeId: string): string => `unused-${chargeId}`

/** The job whose part the refund of that charge pays back; null where it is of the charge. */
export const refundedJob = (refundId: string, chargeId: string): Uuid | null =>
  refundId.startsWith(PREFIX) && refundId !== refundOfCharge(chargeId) ? refundId.slice(PREFIX.length) : null
