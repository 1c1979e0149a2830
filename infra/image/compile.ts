/**
 * Loads what the service loads only with engines and providers of their own, for Node to keep what it compiled. One start
 * without any, and `npm run compile`, load the rest (compile.sh).
 */
await Promise.all([
  import('@medialog/event-store/eventstoredb/store'),
  import('@medialog/http/rate-limit/redis'),
  import('@medialog/messaging'),
  import('@medialog/providers'),
  import('@medialog/read-model/elasticsearch/index'),
  import('@medialog/workflows/temporal/orchestrator'),
  import('../../workflows/src/temporal/open-workers.ts'),
  import('../../packages/server/src/embedded/elasticsearch-read-models.ts'),
])
process.exit(0)
