import type { ComponentState, Health } from '../application.ts'
import type { Dependencies } from '../dependencies.ts'

/** A read model that far behind the log is called degraded. */
const BEHIND = 1_000

/** How the parts are. Never throws: a part that cannot be asked is unavailable. */
export async function readHealth({
  eventStore,
  projections,
  catalog,
  embedder,
}: Pick<Dependencies, 'eventStore' | 'projections' | 'catalog' | 'embedder'>): Promise<Health> {
  const problems: string[] = []
  const ask = async <T>(part: string, question: () => Promise<T>): Promise<T | null> => {
    try {
      return await question()
    } catch (error) {
      problems.push(`${part}: ${(error as Error).message}`)
      return null
    }
  }
  const head = await ask('event store', () => eventStore.head())
  const readModels = (await ask('projections', () => projections.status())) ?? []
  const erasures = await ask('catalog', () => catalog.pendingErasures(1_000))
  const embedded = await ask('embedder', () => embedder.embed(['health'], { priority: 'query' }))
  for (const { name, error, behind } of readModels) {
    if (error) problems.push(`read model ${name}: ${error}`)
    else if (behind > BEHIND) problems.push(`read model ${name} is ${behind} events behind`)
  }
  const refusing = eventStore.trouble()
  if (refusing !== null) problems.push(`event store: ${refusing}`)
  const storage: ComponentState = head === null || refusing !== null ? 'unavailable' : 'operational'
  const lagging =
    readModels.length === 0 || readModels.some(({ error, behind }) => error !== null || behind > BEHIND)
  const search: ComponentState =
    embedded === null || erasures === null ? 'unavailable' : lagging ? 'degraded' : 'operational'
  return {
    status: storage === 'unavailable' ? 'critical' : problems.length > 0 ? 'degraded' : 'operational',
    components: { api: 'operational', storage, search },
    problems,
    readModels: readModels.map(({ name, position, behind, error }) => ({ name, position, behind, error })),
    pendingErasures: erasures?.length ?? 0,
  }
}
