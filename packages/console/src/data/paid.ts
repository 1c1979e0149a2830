import type { DataOf, JsonOperationId, MedialogError } from '@medialog/client'
import type { UseMutationResult } from '@tanstack/react-query'
import type { InputOf } from './reads.ts'
import { useWrite } from './writes.ts'

/** An operation that costs money: sent once for each press of a button. */
export const usePaid = <Id extends JsonOperationId>(
  id: Id,
): UseMutationResult<DataOf<Id>, MedialogError, InputOf<Id>> =>
  useWrite(async (client, input: InputOf<Id>) => (await client.call(id, input)).data, ['readUsage'])
