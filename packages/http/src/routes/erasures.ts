import type { ErasureView } from '@medialog/application'
import { requestContext } from '../exchange.ts'
import type { HttpOptions } from '../options.ts'
import type { Handlers } from '../route.ts'
import { erasureView } from '../views/erasure.ts'

export function erasureHandlers({ application }: HttpOptions): Handlers<'readErasure' | 'readAnyErasure'> {
  return {
    readErasure: async ({ ctx, params }) =>
      answerOf(await application.erasure(requestContext(ctx.state.exchange), params.erasure_id)),
    readAnyErasure: async ({ params }) => answerOf(await application.operator.erasure(params.erasure_id)),
  }
}

const answerOf = (erasure: ErasureView) => ({
  message:
    erasure.status === 'erased' ? 'Nothing of it is left.' : 'It is deleted, and its bytes are being erased.',
  data: erasureView(erasure),
})
