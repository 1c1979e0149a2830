import { collectionId, mediaType as anyType } from '@medialog/contract/http/common'
import { z } from 'zod'

/** Arguments that several tools take. */
export const mediaType = z.enum(anyType.options)
export const mediaId = z
  .string()
  .min(1)
  .max(200)
  .describe('An item’s id, as other tools give it: doc_…, img_…, vec-…')
export const mediaIds = z.array(mediaId).min(1).max(100).describe('Ids of items, as other tools give them.')
export const collectionName = z
  .string()
  .min(1)
  .max(64)
  .superRefine((name, check) => {
    const { error } = collectionId.safeParse(name)
    if (error) check.addIssue({ code: 'custom', message: error.issues[0]!.message, input: name })
  })

/** A list of collections; a single one may stand alone. */
export const collectionNames = z
  .preprocess(
    (given) => (typeof given === 'string' ? [given] : given),
    z.array(collectionName).min(1).max(100),
  )
  .optional()
  .describe('Look in these collections only; in all of them unless given.')

export const ofType = mediaType.optional().describe('Items of this type only.')
export const maxResults = z.int().min(1).max(50).default(10).describe('How many results at most.')
export const instant = z.string().min(1).max(40)
export const cursor = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe('`next_cursor` of the page before; the first page unless given.')

/** Why a cursor is refused. */
export const NO_CURSOR = 'must be the `next_cursor` of another page'

/** An item as results name it. */
export const listed = {
  media_id: z.string(),
  media_type: mediaType,
  filename: z.string(),
  collection: z.string(),
}

/** Of answers that have pages. */
export const nextCursor = z
  .string()
  .optional()
  .describe('What `cursor` takes for the next page; absent at the end.')

/** The erasure that a call began. */
export const erasure = z
  .strictObject({
    erasure_id: z.string().describe('Of the receipt: read medialog://erasures/{id}.'),
    status: z.enum(['pending', 'erased']).describe('`pending`: the bytes are erased within seconds.'),
  })
  .optional()
