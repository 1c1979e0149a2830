import { accountRoutes } from './fake-account.ts'
import { auditRoutes } from './fake-audit.ts'
import { adminRoutes } from './fake-admin.ts'
import { batchRoutes } from './fake-batches.ts'
import { historyRoutes } from './fake-history.ts'
import { mediaRoutes } from './fake-media.ts'
import { ok, refused, TOKEN, KEY, type Received, type Reply, type State } from './wire.ts'

/** As much of the service as a client needs: it answers as the specification says, and understands nothing. */
export function makeFakeService(): { answer(request: Received): Reply } {
  const state: State = {
    items: new Map(),
    account: {
      account_id: 'a0000000-0000-4000-8000-000000000001',
      name: 'dev',
      tier: 'standard',
      balance: 10,
      payment_status: 'active',
    },
    credits: new Map(),
    batches: new Map(),
  }
  const routes = [
    ...mediaRoutes(state),
    ...batchRoutes(state),
    ...accountRoutes(state),
    ...auditRoutes,
    ...historyRoutes,
    ...adminRoutes(state),
  ]
  return {
    answer(request) {
      const { method, path, headers } = request
      if (path === '/healthz') return ok({ status: 'ok', software_version: '0.1.0' })
      const isAdmin = path.startsWith('/admin')
      if (isAdmin && headers['x-operator-token'] !== TOKEN)
        return refused(401, 'INVALID_OPERATOR_TOKEN', 'The operator token is missing or wrong.')
      if (!isAdmin && headers['x-api-key'] === 'mlk_readonly_x' && method !== 'GET')
        return refused(403, 'INSUFFICIENT_PERMISSIONS', 'The key may not do this.')
      const isPublic = path === '/checkpoint-key'
      if (!isAdmin && !isPublic && headers['x-api-key'] !== KEY && headers['x-api-key'] !== 'mlk_readonly_x')
        return refused(401, 'INVALID_API_KEY', 'The API key is missing or not valid.')
      for (const [verb, pattern, handle] of routes) {
        const match = verb === method && pattern.exec(path)
        if (match) return handle(request, match[1] ? decodeURIComponent(match[1]) : '')
      }
      return refused(404, 'NOT_FOUND', 'There is no such path.')
    },
  }
}
