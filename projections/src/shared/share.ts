import type { ProjectionHost } from '../host.ts'
import type { HostPorts, Projected } from '../ports.ts'
import { Answering } from './answering.ts'
import { followProjections } from './follow.ts'
import { TIMING, type Timing } from './lease.ts'
import { Led, type LedOptions } from './led.ts'

/** Where another process leads, calls here wait for what is looked up. */
const LOOK_MS = 250
const LEADING_LOOK_MS = 1_000

export interface ShareOptions extends Pick<LedOptions, 'coordination' | 'holder'> {
  timing?: Timing
}

/**
 * Keeps up to date whichever of the read models no other process does, and the others when theirs ends. Resolves once
 * it was seen which those are.
 */
export async function shareProjections(
  projected: readonly Projected<never>[],
  ports: HostPorts,
  { coordination, holder, timing = TIMING }: ShareOptions,
): Promise<ProjectionHost> {
  const isLeading = (): boolean => led.every(({ leading }) => leading !== null)
  const lookEvery = (): number => (isLeading() ? LEADING_LOOK_MS : LOOK_MS)
  const followed = followProjections({ coordination, log: ports.log, holder, timing, lookEvery })
  const led: Led[] = projected.map(
    (one) => new Led(one, ports, { coordination, holder, timing, onReached: followed.moved }),
  )
  const answering = new Answering({
    coordination,
    timing,
    logger: ports.logger,
    leading: (store) => led.find(({ name }) => name === store)?.leading ?? null,
  })
  await Promise.all(led.map(({ looked }) => looked))
  return {
    ...followed,
    async close() {
      await answering.close()
      await Promise.all(led.map((one) => one.close()))
      await answering.settled()
      await followed.close()
    },
  }
}
