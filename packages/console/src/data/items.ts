import type { ListedMediaItem, ListMediaInput, MediaType, MedialogError } from '@medialog/client'
import { keepPreviousData, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useSession } from '../session/session.ts'

/** What a list shows of an item: the cache holds thousands of them. */
export interface ItemRow {
  id: string
  type: MediaType
  filename: string
  collection: string
  summary: string
  createdAt: string
  sizeBytes: number
  /** Whether a small picture of it is kept. */
  hasPreview: boolean
  /** Of a picture, or of a video's first key frame. */
  colors: readonly { hex: string; share: number }[]
}

export type Filter = Pick<ListMediaInput, 'collection' | 'media_type'>

const PAGE_SIZE = 100

interface Page {
  rows: ItemRow[]
  total: number
}

const rowOf = ({
  media_id,
  media_type,
  file_info,
  collection,
  metadata,
  storage,
}: ListedMediaItem): ItemRow => ({
  id: media_id,
  type: media_type,
  filename: file_info.filename,
  collection,
  summary: metadata.search.summary,
  createdAt: storage.created_at,
  sizeBytes: file_info.size_bytes,
  hasPreview: metadata.modality.visual_attributes?.preview !== undefined,
  colors:
    metadata.modality.visual_attributes?.dominant_colors ??
    metadata.modality.key_frames?.[0]?.dominant_colors ??
    [],
})

/**
 * The items of a filter as one long list, of which the pages between the rows `first` and `last` are read.
 * `row` answers null for one that is not there yet.
 */
export function useItems(filter: Filter, first: number, last: number) {
  const { client } = useSession()
  const cache = useQueryClient()
  const queryOf = (page: number) => ({
    queryKey: ['listMedia', filter, page],
    queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Page> => {
      const input = { ...filter, page: page + 1, page_size: PAGE_SIZE }
      const { items, pagination } = await client.listMedia(input, { signal, attempts: Infinity })
      return { rows: (items as ListedMediaItem[]).map(rowOf), total: pagination.total_items }
    },
    staleTime: 60_000,
    gcTime: 60_000,
  })
  const start = useQuery<Page, MedialogError>({ ...queryOf(0), placeholderData: keepPreviousData })
  const pages: number[] = []
  for (let page = Math.floor(first / PAGE_SIZE); page <= Math.floor(last / PAGE_SIZE); page++)
    if (page > 0) pages.push(page)
  useQueries({ queries: pages.map(queryOf) })
  const row = (index: number): ItemRow | null => {
    const page = Math.floor(index / PAGE_SIZE)
    const known = page === 0 ? start.data : cache.getQueryData<Page>(['listMedia', filter, page])
    return known?.rows[index % PAGE_SIZE] ?? null
  }
  return { start, total: start.data?.total ?? 0, row }
}
