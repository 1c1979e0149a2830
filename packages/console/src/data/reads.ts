import { MedialogError, type JsonOperationId, type DataOf, type Operations } from '@medialog/client'
import {
  keepPreviousData,
  MutationCache,
  QueryCache,
  QueryClient,
  useQuery,
  type UseQueryOptions,
  type UseQueryResult,
} from '@tanstack/react-query'
import { connection } from '../session/connection.ts'
import { useSession } from '../session/session.ts'

export type InputOf<Id extends JsonOperationId> = Operations[Id]['input']

export interface ReadOptions<Data> {
  enabled?: boolean
  /** Shows the answer to the last input until that of the new one is there. */
  keepsPrevious?: boolean
  /** Milliseconds. */
  refetchInterval?: UseQueryOptions<Data, MedialogError>['refetchInterval'] & {}
}

/** A read of the API, from the cache where it is known. Another try is the client's: it goes on until an answer comes. */
export function useRead<Id extends JsonOperationId>(
  id: Id,
  input: InputOf<Id>,
  { keepsPrevious, ...options }: ReadOptions<DataOf<Id>> = {},
): UseQueryResult<DataOf<Id>, MedialogError> {
  const { client } = useSession()
  return useQuery<DataOf<Id>, MedialogError>({
    queryKey: [id, input],
    queryFn: async ({ signal }) => (await client.call(id, input, { signal, attempts: Infinity })).data,
    ...(keepsPrevious && { placeholderData: keepPreviousData }),
    ...options,
  })
}

/** @param refused called with every refusal */
export const createCache = (refused: (error: unknown) => void): QueryClient =>
  new QueryClient({
    queryCache: new QueryCache({ onError: refused, onSuccess: () => connection.set('there') }),
    mutationCache: new MutationCache({ onError: refused }),
    defaultOptions: { queries: { retry: false, staleTime: 10_000, refetchOnWindowFocus: true } },
  })
