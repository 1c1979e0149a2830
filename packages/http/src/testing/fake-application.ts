import { EventEmitter, on } from 'node:events'
import type { Application, FollowedEvents } from '@medialog/application'
import { fakeAccounts } from './fake-accounts.ts'
import { fakeAsk } from './fake-ask.ts'
import { fakeAudit } from './fake-audit.ts'
import { fakeBatches } from './fake-batches.ts'
import { fakeBilling } from './fake-billing.ts'
import { fakeErasures } from './fake-erasures.ts'
import { fakeItemHistory, fakeRequestHistory } from './fake-history.ts'
import { fakeIngest } from './fake-ingest.ts'
import { fakeLibrary, itemOf } from './fake-library.ts'
import { fakeOperations } from './fake-operations.ts'
import { fakeSearch } from './fake-search.ts'
import type { FakeState } from './fake-state.ts'
import { fakeStatus } from './fake-status.ts'
import { fakeWebhooks } from './fake-webhooks.ts'
import { batchView, catalogItem } from './fixtures.ts'

/** The batches that are emitted until the signal aborts. */
async function* toldUntil(feed: EventEmitter, signal: AbortSignal): AsyncGenerator<FollowedEvents> {
  try {
    for await (const [batch] of on(feed, 'batch', { signal })) yield batch as FollowedEvents
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** An application in memory, as small as the edge's tests need it. `release`: of what is staged. */
export function createFakeApplication(release: (id: string) => Promise<void>): {
  application: Application
  state: FakeState
} {
  const state: FakeState = {
    items: [1, 2, 3].map((number) => catalogItem(number)),
    uploads: [],
    creations: [],
    batches: [batchView()],
    principals: new Map(),
    faults: new Map(),
    searches: [],
    asked: [],
    analyses: [],
    replays: [],
    rewinds: [],
    follows: [],
    feed: new EventEmitter(),
  }
  const { items, feed, follows } = state
  const application: Application = {
    accounts: fakeAccounts(state.principals),
    ask: fakeAsk(state, release),
    audit: fakeAudit(state.replays),
    batches: fakeBatches(state, release),
    billing: { ...fakeBilling },
    erasures: { ...fakeErasures },
    feed: {
      async follow(_context, query, signal) {
        follows.push(query)
        return { from: query.after ?? 40, events: toldUntil(feed, signal) }
      },
    },
    history: {
      ofItem: async (_context, { id, page, pageSize }) =>
        fakeItemHistory(itemOf(items, id), { page, pageSize }),
      ofRequest: async (_context, id) => fakeRequestHistory(id),
    },
    ingest: fakeIngest(state, release),
    library: fakeLibrary(items),
    operations: fakeOperations(),
    search: fakeSearch(state),
    status: { ...fakeStatus },
    webhooks: fakeWebhooks(state.rewinds),
  }
  const features = Object.entries(application).map(([name, feature]) => [
    name,
    withFaults(name, feature as object, state.faults),
  ])
  return { application: Object.fromEntries(features) as Application, state }
}

/** Any method throws the fault that is set for it. */
const withFaults = <T extends object>(feature: string, target: T, faults: ReadonlyMap<string, unknown>): T =>
  new Proxy(target, {
    get(object, name, receiver): unknown {
      const method = `${feature}.${String(name)}`
      if (faults.has(method))
        return () => {
          throw faults.get(method)
        }
      return Reflect.get(object, name, receiver)
    },
  })
