import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Appended, CatalogChange, ReadModelStore } from '@medialog/application/ports'
import { openFsArtifactStore } from '@medialog/artifacts'
import { openSqliteEventStore } from '@medialog/event-store'
import {
  catalogProjection,
  projectedInto,
  startProjections,
  type ProjectionHost,
} from '@medialog/projections'
import { catalogDefinition, openDatabaseStore } from '@medialog/read-model'
import { catalogIndex } from '@medialog/read-model/elasticsearch/catalog/definition'
import { openIndexStore } from '@medialog/read-model/elasticsearch/store'
import { testIndices } from '@medialog/read-model/testing/elasticsearch-engine'
import { charge } from '../charges.ts'
import { quantile, row, type BenchRow, type BenchRows } from '../row.ts'
import { sized } from '../scale.ts'
import { writeItem, type Past } from '../small-items.ts'

const EVENTS_A_SECOND = 200
const SECONDS = sized(20)
/** Every fifth event is an item of four chunks, as in uploads: the others are about money. */
const EVENTS_AN_ITEM = 5
const WARM_UP_MS = sized(2_000)
const GOAL_MS = 1_000

/**
 * From an event's append being answered to the catalog showing it, while 200 events a second are appended, one by one and
 * evenly. Log and artifacts in files; the catalog embedded, and on Elasticsearch where it has an address.
 */
export async function* benchProjectionLag(elasticsearch: string | null): BenchRows {
  yield await inFolder('embedded', (folder) => openDatabaseStore({ folder, definition: catalogDefinition }))
  if (elasticsearch === null) {
    console.log('  not measured: projection lag on Elasticsearch (ELASTICSEARCH_URL is not set)')
    return
  }
  const indices = testIndices(elasticsearch)
  try {
    yield await inFolder('Elasticsearch', () => openIndexStore({ ...indices, definition: catalogIndex }))
  } finally {
    await indices.remove()
  }
}

async function inFolder(
  engine: string,
  storeIn: (folder: string) => ReadModelStore<CatalogChange>,
): Promise<BenchRow> {
  const folder = mkdtempSync(join(tmpdir(), 'medialog-bench-lag-'))
  const store = await openSqliteEventStore({ path: join(folder, 'log.db') })
  try {
    const artifacts = await openFsArtifactStore(join(folder, 'artifacts'))
    const host = await startProjections([projectedInto(catalogProjection, storeIn(folder))], {
      log: store,
      artifacts,
      logger: SILENT,
    })
    const lags = await underLoad({ store, artifacts }, host)
    await host.close()
    const name = `projection lag p99, ${EVENTS_A_SECOND} events/s, catalog ${engine} (against 1 s)`
    return row(name, GOAL_MS, quantile(lags, 0.99), 'ms')
  } finally {
    await store.close()
    rmSync(folder, { recursive: true })
  }
}

/** Milliseconds, sorted. */
async function underLoad(past: Past, host: ProjectionHost): Promise<number[]> {
  const accountId = randomUUID()
  const lags: Promise<number | null>[] = []
  const begun = performance.now()
  for (let sent = 0; sent < EVENTS_A_SECOND * SECONDS; sent++) {
    const due = begun + (1_000 * sent) / EVENTS_A_SECOND
    const early = due - performance.now()
    if (early > 0) await sleep(early)
    const appending: Promise<Appended> =
      sent % EVENTS_AN_ITEM === 0
        ? writeItem(past, accountId, sent)
        : past.store.append(`ledger-${randomUUID()}`, 'no-stream', [charge()])
    const counts = due - begun >= WARM_UP_MS || SECONDS === 1
    lags.push(
      appending.then(async ({ position }) => {
        const answered = performance.now()
        if (!(await host.reached(position, { timeoutMs: 60_000 })))
          throw new Error('the catalog stands still')
        return counts ? performance.now() - answered : null
      }),
    )
  }
  return (await Promise.all(lags)).filter((lag) => lag !== null).sort((a, b) => a - b)
}

const SILENT = { info: () => undefined, error: () => undefined, warn: () => undefined }
