import { newIdempotencyKey, type Client, type JsonOperationId, type MedialogError } from '@medialog/client'
import {
  useMutation,
  useQueryClient,
  type MutateOptions,
  type UseMutationResult,
} from '@tanstack/react-query'
import { useRef } from 'react'
import { useSession } from '../session/session.ts'

/** Reads that what is stored, moved or deleted changes. */
const OF_ITEMS: readonly JsonOperationId[] = [
  'listMedia',
  'listCollections',
  'readMedia',
  'readMediaHistory',
  'readUsage',
]

/**
 * A change; views read again what it changed as soon as it is done. The client's reads wait for it. While it is under way
 * with an input, it is not begun with that input again.
 * @param write its `key` is an Idempotency-Key: after a failure the same input has the same one
 */
export function useWrite<Input = void, Data = unknown>(
  write: (client: Client, input: Input, key: string) => Promise<Data>,
  changes: readonly JsonOperationId[],
): UseMutationResult<Data, MedialogError, Input> {
  const { client } = useSession()
  const cache = useQueryClient()
  const underWay = useRef(new Set<string>())
  /** Of inputs that failed or are under way. */
  const keys = useRef(new Map<string, string>())
  const mutation = useMutation<Data, MedialogError, Input>({
    async mutationFn(input) {
      const content = contentOf(input)
      const key = keys.current.get(content) ?? newIdempotencyKey()
      keys.current.set(content, key)
      try {
        const data = await write(client, input, key)
        keys.current.delete(content)
        return data
      } finally {
        underWay.current.delete(content)
      }
    },
    onSuccess: () =>
      void cache.invalidateQueries({
        predicate: ({ queryKey }) => (changes as readonly unknown[]).includes(queryKey[0]),
      }),
  })
  function mutate(input: Input, options?: MutateOptions<Data, MedialogError, Input>): void {
    const content = contentOf(input)
    // Before anything is waited for: what the page shows is drawn later.
    if (underWay.current.has(content)) return
    underWay.current.add(content)
    mutation.mutate(input, options)
  }
  return { ...mutation, mutate } as UseMutationResult<Data, MedialogError, Input>
}

const contentOf = (input: unknown): string => JSON.stringify(input) ?? ''

export const useItemWrite = <Input, Data>(write: (client: Client, input: Input) => Promise<Data>) =>
  useWrite(write, OF_ITEMS)
