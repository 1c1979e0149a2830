import type { ErasureView } from '@medialog/application'
import { accountOf } from '../exchange.ts'
import type { HttpOptionsOf } from '../options.ts'
import type { Handlers } from '../route.ts'
import { erasureView } from '../views/erasure.ts'

export function erasureHandlers({
  application: { erasures },
}: HttpOptionsOf<'erasures'>): Handlers<'readErasure' | 'readAnyErasure'> {
  return {
    readErasure: async ({ ctx, params }) => answerOf(await erasures.find(accountOf(ctx), params.erasure_id)),
    readAnyErasure: async ({ params }) => answerOf(await erasures.find(null, params.erasure_id)),
  }
}

const answerOf = (erasure: ErasureView) => ({
  message:
    erasure.status === 'erased' ? 'All of it is erased.' : 'It is deleted, and its bytes are being erased.',
  data: erasureView(erasure),
})
