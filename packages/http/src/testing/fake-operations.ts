import type { Application, Operation } from '@medialog/application'
import { NOW } from './fixtures.ts'

export function fakeOperations(): Application['operations'] {
  const operations = new Map<string, Operation>()
  return {
    async start({ kind, ...parameters }) {
      const operation: Operation = {
        operationId: `op-${operations.size + 1}`,
        kind,
        parameters,
        status: 'running',
        progress: { ratio: 0, message: 'started' },
        result: null,
        error: null,
        startedAt: NOW,
        endedAt: null,
      }
      operations.set(operation.operationId, operation)
      return operation
    },
    find: async (id) => operations.get(id) ?? null,
    list: async () => [...operations.values()],
    verifications: () => new Map(),
    async *watch(id, signal) {
      const operation = operations.get(id)!
      yield operation
      if (operation.kind === 'projections-rebuild')
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      else yield { ...operation, status: 'succeeded', progress: { ratio: 1, message: 'done' }, endedAt: NOW }
    },
  }
}
