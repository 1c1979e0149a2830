import { Connection } from '@temporalio/client'
import { serverOptions } from './server-options.ts'

const ANSWER_MS = 5_000

/** Answers the namespace's name. @throws where the server does not answer, or the namespace is not there */
export async function requireTemporal({
  namespace = 'default',
  ...at
}: Parameters<typeof serverOptions>[0] & { namespace?: string }): Promise<string> {
  const connection = Connection.lazy(serverOptions(at))
  try {
    await connection.withDeadline(Date.now() + ANSWER_MS, () =>
      connection.workflowService.describeNamespace({ namespace }),
    )
    return namespace
  } catch (error) {
    throw new Error(`Temporal at ${at.address}, namespace ${namespace}: ${(error as Error).message}`, {
      cause: error,
    })
  } finally {
    await connection.close()
  }
}
