import type { LogPosition } from '@medialog/kernel'
import { EngineUnavailable, type ReadModelName } from '../ports/index.ts'
import { PositionLost } from './errors.ts'
import type { Ports } from './ports.ts'

/** Waits (bounded) until reads show `position`; a command then answers anyway. */
export const settleReads = (
  { projections, settings }: Pick<Ports, 'projections' | 'settings'>,
  position: LogPosition,
  readModels?: readonly ReadModelName[],
): Promise<boolean> => projections.reached(position, { readModels, timeoutMs: settings.readYourWritesMs })

export type ShownPorts = Pick<Ports, 'projections' | 'settings' | 'eventStore'>

/** Whether reads show `position` in time. @throws PositionLost, at once, where no wait would bring it; EngineUnavailable */
export async function requireShown(ports: ShownPorts, position: LogPosition): Promise<boolean> {
  if (ports.projections.position() >= position) return true
  if (position > (await ports.eventStore.head())) throw new PositionLost()
  return settleReads(ports, position)
}

/**
 * The catalog's answer. One that is not complete is asked for again once the catalog shows the whole log: what it does not show
 * yet may be there. @throws EngineUnavailable
 */
export async function askUntilCurrent<T>(
  ports: ShownPorts,
  ask: () => Promise<T>,
  isComplete: (answer: T) => boolean,
): Promise<T> {
  const answer = await ask()
  if (isComplete(answer)) return answer
  await requireCatalog(ports, await ports.eventStore.head())
  return ask()
}

/** As settleReads, for decisions that need the catalog to be there. @throws EngineUnavailable */
export async function requireCatalog(
  ports: Pick<Ports, 'projections' | 'settings'>,
  position: LogPosition,
): Promise<void> {
  if (!(await settleReads(ports, position, ['catalog'])))
    throw new EngineUnavailable('catalog', 'The catalog is catching up with the log; try again shortly.')
}
