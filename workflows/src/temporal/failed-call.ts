import { explain } from '@medialog/kernel'
import { isGrpcDeadlineError, isGrpcServiceError, ServiceError } from '@temporalio/client'

/** Why a call of the server failed, for people: of one that was not answered in time the client tells its own innards. */
export const explainCall = (error: unknown): string =>
  isGrpcDeadlineError(error) ? 'nothing there answered in time' : explain(error)

/** What the server answered a call that it refused, by gRPC's status code; null where something else failed. */
export const refusalOfCall = (error: unknown): { code: number; details: string } | null =>
  error instanceof ServiceError && isGrpcServiceError(error.cause) ? error.cause : null
