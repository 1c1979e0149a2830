import { textOf, type MedialogError, type Operation } from '@medialog/client'
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { useRead } from '../data/reads.ts'
import { useSession } from '../session/session.ts'
import { samplesOf, type Sample } from './metrics.ts'

const METRICS_MS = 2000
const RUNNING_MS = 700
const RESTING_MS = 10_000

/** What the process that answers measures of itself, again and again. */
export function useMetrics(): UseQueryResult<Sample[], MedialogError> {
  const { client } = useSession()
  return useQuery<Sample[], MedialogError>({
    queryKey: ['metrics'],
    queryFn: async ({ signal }) =>
      samplesOf(
        await textOf(await client.open('metrics', {}, { signal, attempts: Infinity, accept: 'text/plain' })),
      ),
    refetchInterval: METRICS_MS,
    staleTime: METRICS_MS / 2,
  })
}

/** The operator's operations, looked at often while one of them runs. */
export const useOperations = () =>
  useRead(
    'listOperations',
    {},
    {
      refetchInterval: ({ state: { data } }) =>
        data?.operations.some(({ status }) => status === 'running') ? RUNNING_MS : RESTING_MS,
    },
  )

export const lastOf = (operations: readonly Operation[], kinds: readonly string[]): Operation[] =>
  operations
    .filter(({ kind }) => kinds.includes(kind))
    .toSorted((a, b) => b.started_at.localeCompare(a.started_at))
