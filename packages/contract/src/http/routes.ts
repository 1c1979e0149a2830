import { accountRoutes } from './account.ts'
import { adminRoutes } from './admin.ts'
import { aiRoutes } from './ai.ts'
import { auditRoutes } from './audit.ts'
import { batchRoutes } from './batches.ts'
import { checkpointRoutes } from './checkpoints.ts'
import { collectionRoutes } from './collections.ts'
import { eventRoutes } from './events.ts'
import { historyRoutes } from './history.ts'
import { erasureRoutes } from './erasures.ts'
import { mediaRoutes } from './media.ts'
import { publicRoutes } from './public.ts'
import type { RouteContract } from './route.ts'
import { searchRoutes } from './search.ts'
import { webhookRoutes } from './webhooks.ts'

/** Every route there is, by operationId. */
export const routes = {
  ...mediaRoutes,
  ...erasureRoutes,
  ...batchRoutes,
  ...searchRoutes,
  ...aiRoutes,
  ...collectionRoutes,
  ...accountRoutes,
  ...auditRoutes,
  ...eventRoutes,
  ...webhookRoutes,
  ...historyRoutes,
  ...adminRoutes,
  ...checkpointRoutes,
  ...publicRoutes,
} satisfies { readonly [operationId: string]: RouteContract }

export type Routes = typeof routes
export type OperationId = keyof Routes
