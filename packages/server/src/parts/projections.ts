import type { Projections } from '@medialog/application'
import { troublesOf, type Part } from './part.ts'

/** Follows the log: every read model is there, and none stands still. */
export const projectionsPart = (projections: Pick<Projections, 'status'>): Part => ({
  role: 'projections',
  troubles: () =>
    troublesOf('projections', async () => {
      const statuses = await projections.status()
      return statuses.flatMap(({ name, error }) => (error === null ? [] : [`read model ${name}: ${error}`]))
    }),
})
