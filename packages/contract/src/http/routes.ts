import { accountRoutes } from './account.ts'
import { adminRoutes } from './admin.ts'
import { aiRoutes } from './ai.ts'
import { auditRoutes } from './audit.ts'
import { batchRoutes } from './batches.ts'
import { checkpointRoutes } from './checkpoints.ts'
import { collectionRoutes } from './collections.ts'
import { erasureRoutes } from './erasures.ts'
import { mediaRoutes } from './media.ts'
import { publicRoutes } from './public.ts'
import type { RouteContract } from './route.ts'
import { searchRoutes } from './search.ts'

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
  ...adminRoutes,
  ...checkpointRoutes,
  ...publicRoutes,
} satisfies { readonly [operationId: string]: RouteContract }

export type Routes = typeof routes
export type OperationId = keyof Routes
