export { API_VERSION, IDEMPOTENCY_KEY, MAX_COST } from './http/common.ts'
export { exampleOf } from './http/example.ts'
export { parseInstant } from './http/instant.ts'
export * from './http/account.ts'
export * from './http/admin.ts'
export * from './http/ai.ts'
export * from './http/audit.ts'
export * from './http/batches.ts'
export * from './http/checkpoints.ts'
export * from './http/erasures.ts'
export * from './http/errors.ts'
export * from './http/events.ts'
export * from './http/history.ts'
export * from './http/media.ts'
export { openApiDocument } from './http/openapi-for-generators.ts'
export {
  contractDocument,
  type OpenApi,
  type OpenApiOperation,
  type OpenApiParameter,
} from './http/openapi.ts'
export { codesOf, type RouteContract } from './http/route.ts'
export { routes, type OperationId, type Routes } from './http/routes.ts'
export * from './http/search.ts'
