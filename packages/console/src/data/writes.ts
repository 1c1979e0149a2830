import type { Client, MedialogError } from '@medialog/client'
import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query'
import { useSession } from '../session/session.ts'

/** Reads that what is stored, moved or deleted changes. */
const OF_ITEMS = ['listMedia', 'listCollections', 'readUsage', 'readMediaHistory']

/** A change of the account's items; lists show it as soon as it is done. The client's reads wait for it. */
export function useItemWrite<Input, Data>(
  write: (client: Client, input: Input) => Promise<Data>,
): UseMutationResult<Data, MedialogError, Input> {
  const { client } = useSession()
  const cache = useQueryClient()
  return useMutation<Data, MedialogError, Input>({
    mutationFn: (input) => write(client, input),
    onSuccess: () =>
      void cache.invalidateQueries({ predicate: ({ queryKey }) => OF_ITEMS.includes(String(queryKey[0])) }),
  })
}
