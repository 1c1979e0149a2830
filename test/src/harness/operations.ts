import type { Client } from './client.ts'

interface Ended {
  status: string
  // oxlint-disable-next-line typescript/no-explicit-any -- each kind has a result of its own
  result: any
  error: string | null
}

/** Starts long work as the operator and waits until it has ended. */
export async function operated(
  operator: Client,
  json: { kind: string; name?: string; erasure_id?: string },
): Promise<Ended> {
  const { body } = await operator.request('POST', '/admin/operations', { json })
  for (;;) {
    const { body: now } = await operator.request('GET', `/admin/operations/${body.data.operation_id}`)
    if (now.data.status !== 'running') return now.data
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
