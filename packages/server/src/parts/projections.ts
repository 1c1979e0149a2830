import type { Projections } from '@medialog/application'
import type { Part } from './part.ts'

/** Follows the log: every read model is there, and none stands still. */
export const projectionsPart = (projections: Pick<Projections, 'status'>): Part => ({
  role: 'projections',
  async troubles() {
    try {
      const statuses = await projections.status()
      return statuses.flatMap(({ name, error }) => (error === null ? [] : [`read model ${name}: ${error}`]))
    } catch (error) {
      return [`projections: ${(error as Error).message}`]
    }
  },
})
