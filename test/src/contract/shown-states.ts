import { EngineUnavailable, UnreadableFile, UnsupportedFileType } from '@medialog/application'
import { expect, vi } from 'vitest'
import { batchWhere, endedBatch, statusesOf } from '../harness/batches.ts'
import { shown, taken, type Shown } from './shown-limits.ts'
import { withNewItem } from './plain-requests.ts'
import { gate, type Fault } from './port-faults.ts'
import type { STATES } from './specification.ts'
import { fixture, note, type Served } from './served.ts'
import { expectStatus } from '../harness/expect-status.ts'

const PATIENT = { timeout: 50_000, interval: 10 }
const throwing =
  (error: () => Error): Fault =>
  async () => {
    throw error()
  }

async function create({ main }: Served): Promise<string> {
  const { data } = await taken(main.client.batch([{ filename: 'job.txt', bytes: note() }]))
  return data.batch_id
}

const cancel = async ({ main }: Served, id: string) =>
  (await taken(main.client.request('PUT', `/v1/batches/${id}/state`))).data

/** A batch of one file that fails in a port. */
const failed = (code: string, place: Parameters<Served['faults']['during']>[0], fault: Fault): Shown =>
  shown(`\`${place}\` fails so`, (served) =>
    served.faults.during(place, fault, async () => {
      const { batch, results } = await endedBatch(served.main.client, await create(served))
      expect([batch.status, batch.cost.net, ...statusesOf(results)]).toEqual(['failed', 0, code])
    }),
  )
const understanding = (code: string, error: () => Error) =>
  failed(code, 'understanding.understand', throwing(error))

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))

/** While a job is being understood. */
async function whileRunning(served: Served, work: (id: string) => Promise<void>): Promise<void> {
  const { reached, open, pass } = gate()
  // As what is held does: it ends when its signal aborts.
  const held: Fault = (real, args) =>
    Promise.race([pass(real, args), aborted((args[1] as { signal: AbortSignal }).signal)])
  await served.faults.during('understanding.understand', held, async () => {
    const id = await create(served)
    await reached
    await batchWhere(served.main.client, id, ({ status }) => status === 'running')
    try {
      await work(id)
    } finally {
      open()
    }
  })
}

const away = (engine: string) => () => new EngineUnavailable(engine, 'away, for this test')
const status = (served: Served) => served.main.client.request('GET', '/v1/status')

export const SHOWN_STATES: Record<(typeof STATES)[number], Shown> = {
  'media: (none) → completed': shown('an upload, then a read', async (served) => {
    const { doc } = await withNewItem(served)
    const { data } = await taken(served.main.client.request('GET', `/v1/media/${doc}`))
    expect(data.status.state).toBe('completed')
  }),
  'media: processing': {
    cannot: 'An upload answers when it is done, and an item is not shown before: no answer can carry it.',
  },
  'media: failed': {
    cannot:
      'An upload that fails is a refusal, refunded and with nothing stored: no item is left to carry it.',
  },
  'media: deleted, deletion_status completed': shown('a deletion, then a read', async (served) => {
    const { doc } = await withNewItem(served)
    const { data } = await taken(served.main.client.request('DELETE', `/v1/media/${doc}`))
    expect([data.deletion_status, data.successful]).toEqual(['completed', true])
    expectStatus(await served.main.client.request('GET', `/v1/media/${doc}`), 404)
  }),
  'batch: (none) → created': shown('the answer to its creation', async ({ main }) => {
    const { data } = await taken(main.client.batch([{ filename: 'a.txt', bytes: note() }]))
    expect(data.status).toBe('created')
  }),
  'batch: created → running': shown('while a job is held', (served) =>
    whileRunning(served, async (id) => {
      const holds = ({ progress }: { progress: { processing: number } }) => progress.processing === 1
      expect((await batchWhere(served.main.client, id, holds)).status).toBe('running')
    }),
  ),
  'batch: created → cancelled': shown('cancelled while BatchStarted cannot be appended', async (served) => {
    let starts = 0
    const notStarted: Fault = (real, [, , events]) => {
      if (!(events as { type: string }[]).some(({ type }) => type === 'BatchStarted')) return real()
      starts++
      return Promise.reject(away('event store')())
    }
    await served.faults.during('eventStore.append', notStarted, async () => {
      const id = await create(served)
      await vi.waitUntil(() => starts > 0, PATIENT)
      expect(await cancel(served, id)).toMatchObject({
        previous_state: 'created',
        current_state: 'cancelled',
      })
    })
  }),
  'batch: running → completed': shown('a batch of one text', async (served) => {
    const { batch, results } = await endedBatch(served.main.client, await create(served))
    expect([batch.status, results.batch_summary.status]).toEqual(['completed', 'completed'])
  }),
  'batch: running → failed': shown('a batch whose only file is broken', async ({ main }) => {
    const bytes = (await fixture('images/sample.png')).subarray(0, 300)
    const { data } = await taken(main.client.batch([{ filename: 'broken.png', bytes }]))
    expect((await endedBatch(main.client, data.batch_id)).batch.status).toBe('failed')
  }),
  'batch: running → cancelled': shown('cancelled while a job is held', (served) =>
    whileRunning(served, async (id) => {
      expect(await cancel(served, id)).toMatchObject({
        previous_state: 'running',
        current_state: 'cancelled',
      })
    }),
  ),
  'batch: a terminal one stays as it is': shown('a completed one is cancelled', async (served) => {
    const id = await create(served)
    await endedBatch(served.main.client, id)
    expect(await cancel(served, id)).toMatchObject({
      previous_state: 'completed',
      current_state: 'completed',
    })
  }),
  'job: succeeded': shown('a text', async (served) => {
    const { batch, results } = await endedBatch(served.main.client, await create(served))
    expect([batch.cost.net, ...statusesOf(results)]).toEqual([0.04, 'succeeded'])
    expect(results.job_results[0].media_id).toMatch(/^vec-/)
  }),
  'job: processed': shown('the same bytes twice in a batch', async ({ main }) => {
    const bytes = note()
    const { data } = await taken(
      main.client.batch(['a.txt', 'b.txt'].map((filename) => ({ filename, bytes }))),
    )
    const { batch, results } = await endedBatch(main.client, data.batch_id)
    expect([batch.cost.net, ...statusesOf(results)]).toEqual([0.04, 'succeeded', 'processed'])
  }),
  'job: failed format_error': understanding(
    'format_error',
    () => new UnsupportedFileType('job.txt', 'of no format, for this test'),
  ),
  'job: failed corrupted_file': understanding(
    'corrupted_file',
    () => new UnreadableFile('corrupted', 'broken'),
  ),
  'job: failed validation_error': understanding(
    'validation_error',
    () => new UnreadableFile('too-large', 'long'),
  ),
  'job: failed processing_error': understanding('processing_error', () => new Error('a fault of this test')),
  'job: failed storage_error': failed('storage_error', 'artifacts.put', throwing(away('artifact store'))),
  'job: failed timeout_error': understanding('timeout_error', () => new UnreadableFile('timeout', 'slow')),
  'job: failed resource_error': understanding('resource_error', () => new UnreadableFile('memory', 'big')),
  'job: failed quota_exceeded': shown('the quota is used up when it is the job’s turn', async (served) => {
    let asked = 0
    const later: Fault = (real) => (++asked === 1 ? real() : Promise.resolve({ vectors: 1e9, bytes: 0 }))
    await served.faults.during('catalog.storage', later, async () => {
      const { results } = await endedBatch(served.main.client, await create(served))
      expect(statusesOf(results)).toEqual(['quota_exceeded'])
    })
  }),
  'job: failed cancelled': shown('its batch is cancelled while it is held', async (served) => {
    let id = ''
    await whileRunning(served, async (running) => {
      id = running
      await cancel(served, id)
    })
    const { batch, results } = await endedBatch(served.main.client, id)
    expect([batch.status, batch.cost.net, ...statusesOf(results)]).toEqual(['cancelled', 0, 'cancelled'])
  }),
  'service: operational': shown('the status', async (served) => {
    const { data } = await taken(status(served))
    expect(data.status).toBe('operational')
    expect(Object.values(data.components)).toEqual(['operational', 'operational', 'operational'])
  }),
  'service: degraded': shown('`usage.position` fails', (served) =>
    served.faults.during('usage.position', throwing(away('usage')), async () => {
      const { data } = await taken(status(served))
      expect([data.status, data.components.storage, data.notice.type]).toEqual([
        'degraded',
        'degraded',
        'incident',
      ])
    }),
  ),
  'service: critical': shown('`eventStore.trouble` names a trouble', (served) =>
    served.faults.during(
      'eventStore.trouble',
      () => 'a fault of this test',
      async () => {
        const { status: code, body } = await status(served)
        expect([code, body.success, body.code, body.data.status]).toEqual([
          503,
          false,
          'service_unavailable',
          'critical',
        ])
      },
    ),
  ),
  'component: unavailable': shown('`search.position` fails', (served) =>
    served.faults.during('search.position', throwing(away('search')), async () => {
      expect((await taken(status(served))).data.components.search).toBe('unavailable')
    }),
  ),
  'payment: active → suspended → active': shown('the operator suspends and reinstates', async (served) => {
    const { accountId, client } = await served.openAccount(1)
    for (const state of ['suspended', 'active']) {
      await served.operator.request('PUT', `/admin/accounts/${accountId}/state`, { json: { state } })
      const { data } = await taken(client.request('GET', '/v1/usage'))
      expect(data.account_info.payment_status).toBe(state)
    }
  }),
}
