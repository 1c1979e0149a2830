/** A UUID in lower case, without the prefix that its kind shows outside. */
export type Uuid = string

export const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

export const MEDIA_TYPES = ['document', 'image', 'video', 'audio', 'model'] as const
export type MediaType = (typeof MEDIA_TYPES)[number]

const MEDIA_PREFIX: Record<MediaType, string> = {
  document: 'doc',
  image: 'img',
  video: 'vid',
  audio: 'aud',
  model: 'mdl',
}
const TYPE_OF_PREFIX = new Map(MEDIA_TYPES.map((type) => [MEDIA_PREFIX[type], type]))

/** The id an item shows: `doc_<uuid>`, `img_<uuid>`, … */
export const typedMediaId = (type: MediaType, id: Uuid): string => `${MEDIA_PREFIX[type]}_${id}`

/** The other form of the same id: `vec-<uuid>`. */
export const vectorId = (id: Uuid): string => `vec-${id}`

export interface MediaReference {
  id: Uuid
  /** What a typed prefix claims; null for `vec-`. A claim that contradicts the item means "not found". */
  claimedType: MediaType | null
}

/** Either form of an item's id, or null where it is neither. */
export function parseMediaId(text: string): MediaReference | null {
  const match = /^(?:(vec)-|([a-z]{3})_)(.+)$/.exec(text)
  if (!match || !UUID_PATTERN.test(match[3]!)) return null
  if (match[1]) return { id: match[3]!, claimedType: null }
  const claimedType = TYPE_OF_PREFIX.get(match[2]!)
  return claimedType ? { id: match[3]!, claimedType } : null
}

const withPrefix = (prefix: string) => ({
  format: (id: Uuid): string => prefix + id,
  parse: (text: string): Uuid | null =>
    text.startsWith(prefix) && UUID_PATTERN.test(text.slice(prefix.length))
      ? text.slice(prefix.length)
      : null,
})

export const batchId = withPrefix('batch_')
export const jobId = withPrefix('job_')
export const erasureId = withPrefix('erasure_')
export const requestId = withPrefix('req_')
export const webhookId = withPrefix('wh_')
