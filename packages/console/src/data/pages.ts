import type { DataOf, MedialogError, PagedOperationId } from '@medialog/client'
import type { UseQueryResult } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useParameters } from '../parts/parameters.ts'
import { useRead, type InputOf, type ReadOptions } from './reads.ts'

/** Beyond every last page. */
const FAR = 1_000_000

/** The page that an address names. What is no number is beyond the last page. */
function pageIn(text: string | null): number {
  const page = Number(text ?? 1)
  return Number.isSafeInteger(page) && page >= 1 && page < FAR ? page : FAR
}

/** The read without its data, and the last page in the address, where `page` is beyond it. */
export function useLastPage<Data extends { pagination: { total_pages: number } }>(
  read: UseQueryResult<Data, MedialogError>,
  page: number,
): Pick<typeof read, 'data' | 'error' | 'refetch'> {
  const [, change] = useParameters()
  const last = Math.max(1, read.data?.pagination.total_pages ?? Infinity)
  const isBeyond = !read.isPlaceholderData && page > last
  useEffect(() => {
    if (isBeyond) change({ page: last > 1 ? String(last) : null }, true)
  })
  return isBeyond ? { ...read, data: undefined } : read
}

/** A page of a list: the one that the address names, or the last one where that is beyond it. */
export function usePage<Id extends PagedOperationId>(
  id: Id,
  filter: Omit<InputOf<Id>, 'page'>,
  options: ReadOptions<DataOf<Id>> = {},
) {
  const [parameters, change] = useParameters()
  const page = pageIn(parameters.get('page'))
  const input = { ...filter, page } as unknown as InputOf<Id>
  const read = useRead(id, input, { keepsPrevious: true, ...options })
  return {
    input,
    read: useLastPage(
      read as UseQueryResult<DataOf<Id> & { pagination: { total_pages: number } }, MedialogError>,
      page,
    ),
    to: (next: number): void => change({ page: String(next) }),
  }
}
