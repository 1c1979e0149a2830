import type { Client, JsonOperationId, MedialogError } from '@medialog/client'
import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query'
import { useSession } from '../session/session.ts'

/** Reads that what is stored, moved or deleted changes. */
const OF_ITEMS: readonly JsonOperationId[] = [
  'listMedia',
  'listCollections',
  'readMedia',
  'readMediaHistory',
  'readUsage',
]

/** A change; views read again what it changed as soon as it is done. The client's reads wait for it. */
export function useWrite<Input = void, Data = unknown>(
  write: (client: Client, input: Input) => Promise<Data>,
  changes: readonly JsonOperationId[],
): UseMutationResult<Data, MedialogError, Input> {
  const { client } = useSession()
  const cache = useQueryClient()
  return useMutation<Data, MedialogError, Input>({
    mutationFn: (input) => write(client, input),
    onSuccess: () =>
      void cache.invalidateQueries({
        predicate: ({ queryKey }) => (changes as readonly unknown[]).includes(queryKey[0]),
      }),
  })
}

export const useItemWrite = <Input, Data>(write: (client: Client, input: Input) => Promise<Data>) =>
  useWrite(write, OF_ITEMS)
