import { z } from 'zod'
import { instant, uuid } from './common.ts'
import { place } from './media.ts'

export const libraryEvents = {
  ItemsMoved: z.object({ accountId: uuid, place, mediaIds: z.array(uuid), at: instant }),
  LibraryErased: z.object({ accountId: uuid, at: instant }),
  CollectionDeleted: z.object({ accountId: uuid, place, at: instant }),
}
