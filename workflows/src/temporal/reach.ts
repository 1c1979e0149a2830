import { Connection } from '@temporalio/client'

const ANSWER_MS = 5_000

/** Answers the namespace's name. @throws where the server does not answer, or the namespace is not there */
export async function requireTemporal({
  address,
  namespace = 'default',
}: {
  address: string
  namespace?: string
}): Promise<string> {
  const connection = Connection.lazy({ address })
  try {
    await connection.withDeadline(Date.now() + ANSWER_MS, () =>
      connection.workflowService.describeNamespace({ namespace }),
    )
    return namespace
  } catch (error) {
    throw new Error(`Temporal at ${address}, namespace ${namespace}: ${(error as Error).message}`, {
      cause: error,
    })
  } finally {
    await connection.close()
  }
}
