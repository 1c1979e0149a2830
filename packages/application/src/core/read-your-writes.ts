import type { LogPosition } from '@medialog/kernel'
import type { Dependencies } from '../dependencies.ts'
import { PositionLost } from './errors.ts'
import { EngineUnavailable, type ReadModelName } from '../ports/index.ts'

/** Waits (bounded) until reads show `position`; a command then answers all the same. */
export const settleReads = (
  { projections, settings }: Pick<Dependencies, 'projections' | 'settings'>,
  position: LogPosition,
  readModels?: readonly ReadModelName[],
): Promise<boolean> => projections.reached(position, { readModels, timeoutMs: settings.readYourWritesMs })

/** Whether reads show `position` in time. @throws PositionLost, at once, where no wait would bring it; EngineUnavailable */
export async function requireShown(
  dependencies: Pick<Dependencies, 'projections' | 'settings' | 'eventStore'>,
  position: LogPosition,
): Promise<boolean> {
  if (dependencies.projections.position() >= position) return true
  if (position > (await dependencies.eventStore.head())) throw new PositionLost()
  return settleReads(dependencies, position)
}

/**
 * The catalog's answer. One that is not complete is asked for again once the catalog shows the whole log: what it does not show
 * yet may be there. @throws EngineUnavailable
 */
export async function askUntilCurrent<T>(
  dependencies: Pick<Dependencies, 'projections' | 'settings' | 'eventStore'>,
  ask: () => Promise<T>,
  isComplete: (answer: T) => boolean,
): Promise<T> {
  const answer = await ask()
  if (isComplete(answer)) return answer
  await requireCatalog(dependencies, await dependencies.eventStore.head())
  return ask()
}

/** As settleReads, for decisions that need the catalog to be there. @throws EngineUnavailable */
export async function requireCatalog(
  dependencies: Pick<Dependencies, 'projections' | 'settings'>,
  position: LogPosition,
): Promise<void> {
  if (!(await settleReads(dependencies, position, ['catalog'])))
    throw new EngineUnavailable('catalog', 'The catalog is catching up with the log; try again shortly.')
}
