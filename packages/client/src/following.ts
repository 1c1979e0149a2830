import type { Call, FollowOptions, Open } from './calls.ts'
import { Unreachable } from './errors.ts'
import type { Batch, Operation } from './operations.ts'
import { sleep } from './retry.ts'
import { serverSentEvents } from './server-sent-events.ts'

const POLL_MS = 500
/** A server that was there is waited for about a minute. */
const ATTEMPTS = 8

/** Until every file of it is done, over restarts of the server. */
export async function followBatch(
  call: Call,
  batchId: string,
  { onChange, attempts = ATTEMPTS, ...options }: FollowOptions<Batch> = {},
): Promise<Batch> {
  for (;;) {
    const answer = await call('readBatch', { batch_id: batchId }, { attempts, ...options })
    const batch = answer.data as Batch
    onChange?.(batch)
    const hasEnded = batch.status !== 'created' && batch.status !== 'running'
    if (hasEnded && batch.progress.percent === 100) return batch
    await sleep(POLL_MS, options.signal)
  }
}

/** By server-sent events, and by asking again and again where those break off. */
export async function followOperation(
  { open, call }: { open: Open; call: Call },
  operationId: string,
  { onChange, ...options }: FollowOptions<Operation> = {},
): Promise<Operation> {
  const input = { operation_id: operationId }
  const reply = await open('readOperation', input, { ...options, accept: 'text/event-stream' })
  try {
    for await (const { data } of serverSentEvents(reply.body)) {
      const operation = JSON.parse(data) as Operation
      onChange?.(operation)
      if (operation.status !== 'running') return operation
    }
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error
    // Asked from here on.
  } finally {
    reply.cancel()
  }
  for (;;) {
    const operation = (await call('readOperation', input, options)).data as Operation
    onChange?.(operation)
    if (operation.status !== 'running') return operation
    await sleep(POLL_MS, options.signal)
  }
}
