import type { DataOf, JsonOperationId, MedialogError } from '@medialog/client'
import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query'
import { useSession } from '../session/session.ts'
import type { InputOf } from './reads.ts'

/** An operation that costs money: sent once for each press of a button. */
export function usePaid<Id extends JsonOperationId>(
  id: Id,
): UseMutationResult<DataOf<Id>, MedialogError, InputOf<Id>> {
  const { client } = useSession()
  const cache = useQueryClient()
  return useMutation<DataOf<Id>, MedialogError, InputOf<Id>>({
    mutationFn: async (input) => (await client.call(id, input)).data,
    onSuccess: () => void cache.invalidateQueries({ queryKey: ['readUsage'] }),
  })
}
