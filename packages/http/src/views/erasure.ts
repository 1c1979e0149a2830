import type { ErasureView } from '@medialog/application'
import type { Erasure } from '@medialog/contract/http'
import { erasureId as erasureIds, isoTime } from '@medialog/kernel'
import type { z } from 'zod'

export const erasureView = ({
  erasureId,
  status,
  requestedAt,
  ingests,
  receipt,
  note,
  key,
}: ErasureView): z.input<typeof Erasure> => ({
  erasure_id: erasureIds.format(erasureId),
  status,
  requested_at: isoTime(requestedAt),
  ingests,
  receipt,
  note,
  key,
})

/** Beside what was deleted; nothing where no receipt was asked for. */
export const erasureIn = (erasure: ErasureView | null) => erasure && { erasure: erasureView(erasure) }
