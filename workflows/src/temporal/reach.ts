import { Connection } from '@temporalio/client'
import { explainCall } from './failed-call.ts'
import { serverOptions } from './server-options.ts'

const ANSWER_MS = 5_000

/** Answers the namespace's name. @throws where the server does not answer, or the namespace is not there */
export async function requireTemporal({
  namespace = 'default',
  ...at
}: Parameters<typeof serverOptions>[0] & { namespace?: string }): Promise<string> {
  // Without the client's own tries, after which all that is known is that time was up.
  const connection = Connection.lazy({ ...serverOptions(at), interceptors: [] })
  try {
    await connection.withDeadline(Date.now() + ANSWER_MS, () =>
      connection.workflowService.describeNamespace({ namespace }),
    )
    return namespace
  } catch (error) {
    throw new Error(`Temporal at ${at.address}, namespace ${namespace}: ${explainCall(error)}`, {
      cause: error,
    })
  } finally {
    await connection.close()
  }
}
