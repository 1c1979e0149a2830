import { erasureId as erasureIds, type Uuid } from '@medialog/kernel'
import type { Dependencies } from '../dependencies.ts'
import { readErasure, type ErasureView } from './receipt.ts'
import { ErasureNotFound } from '../core/errors.ts'

/** The erasure of that id, of the account or (null) of any. @throws ErasureNotFound, EngineUnavailable */
export async function findErasure(
  dependencies: Pick<Dependencies, 'eventStore' | 'logTree'>,
  accountId: Uuid | null,
  id: string,
): Promise<ErasureView> {
  const erasureId = erasureIds.parse(id)
  const found = erasureId === null ? null : await readErasure(dependencies, erasureId)
  if (!found || (accountId !== null && found.accountId !== accountId)) throw new ErasureNotFound(id)
  return found
}
