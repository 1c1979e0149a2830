import { useEffect } from 'react'
import { useSession } from '../session/session.ts'
import type { PaidId, PaidRequest } from './paid-requests.ts'
import type { InputOf } from './reads.ts'
import { useStore } from './store.ts'

/** The request of this content, as far as it is; undefined where it was not sent. What was answered before a reload is asked for again. */
export function usePaid<Id extends PaidId>(id: Id, input: InputOf<Id>): PaidRequest<Id> | undefined {
  const { paid } = useSession()
  useStore(paid.list)
  const request = paid.find(id, input)
  useEffect(() => {
    if (request) paid.recall(request)
  })
  return request
}
