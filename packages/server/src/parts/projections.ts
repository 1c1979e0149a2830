import type { Projections } from '@medialog/application'
import type { TreeTrouble } from '../log-tree.ts'
import { partOf, type Part } from './part.ts'

/** Follows the log: every read model is there, and none stands still, nor the tree over all events that is kept beside. */
export const projectionsPart = (
  projections: Pick<Projections, 'status'>,
  treeTrouble: TreeTrouble = () => null,
): Part =>
  partOf('projections', async () => {
    const statuses = await projections.status()
    const tree = treeTrouble()
    return [
      ...statuses.flatMap(({ name, error }) => (error === null ? [] : [`read model ${name}: ${error}`])),
      ...(tree === null ? [] : [`leaves of the log: ${tree}`]),
    ]
  })
