import { setTimeout as sleep } from 'node:timers/promises'
import type { Uuid } from '@medialog/kernel'
import type { Ports } from '../core/ports.ts'
import { readErasure, type ErasureView } from './receipt.ts'

const LOOK_AGAIN_MS = 100

/**
 * The erasure once nothing is left of it, or as it stands after as long as requests wait for what they wrote. Null where
 * none was asked for.
 */
export async function afterErasing(
  ports: Pick<Ports, 'streams' | 'eventStore' | 'logTree' | 'settings' | 'clock'>,
  erasureId: Uuid | null,
): Promise<ErasureView | null> {
  if (erasureId === null) return null
  const { streams, settings, clock } = ports
  const deadline = clock.now() + settings.readYourWritesMs
  const isDone = async () =>
    (await streams.load('erasure', erasureId, ({ status }) => status === 'completed')).selected
  while (!(await isDone()) && clock.now() < deadline) await sleep(LOOK_AGAIN_MS)
  return readErasure(ports, erasureId)
}
