import { counted } from '@medialog/kernel'
import type { HttpOptionsOf } from '../options.ts'
import type { Handlers } from '../route.ts'

export function embeddingHandlers({
  application: { status },
}: HttpOptionsOf<'status'>): Handlers<'readEmbeddings'> {
  return {
    async readEmbeddings() {
      const { model, dimensions, cosineFloor, pending, models } = await status.embeddings()
      return {
        message:
          pending === 0
            ? 'Every item has vectors of the embedder.'
            : `${counted(pending, 'item is', 'items are')} pending.`,
        data: {
          embedder: { model, dimensions, cosine_floor: cosineFloor },
          pending_items: pending,
          models: models.map(({ foundBy, ...counts }) => ({
            ...counts,
            found_by: foundBy,
          })),
        },
      }
    },
  }
}
