import { explain } from '@medialog/kernel'
import { isGrpcDeadlineError } from '@temporalio/client'

/** Why a call of the server failed, for people: of one that was not answered in time the client tells its own innards. */
export const explainCall = (error: unknown): string =>
  isGrpcDeadlineError(error) ? 'nothing there answered in time' : explain(error)
