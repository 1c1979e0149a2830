import { erasureId as erasureIds, type Uuid } from '@medialog/kernel'
import { ErasureNotFound } from '../core/errors.ts'
import type { Ports } from '../core/ports.ts'
import { readErasure, type ErasureView } from './receipt.ts'

/** The erasure of that id, of the account or (null) of any. @throws ErasureNotFound, EngineUnavailable */
export async function findErasure(
  ports: Pick<Ports, 'eventStore' | 'logTree'>,
  accountId: Uuid | null,
  id: string,
): Promise<ErasureView> {
  const erasureId = erasureIds.parse(id)
  const found = erasureId === null ? null : await readErasure(ports, erasureId)
  if (!found || (accountId !== null && found.accountId !== accountId)) throw new ErasureNotFound(id)
  return found
}
