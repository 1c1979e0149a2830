import {
  EngineUnavailable,
  type AdvancedAnswer,
  type Catalog,
  type Damage,
  type QueryVector,
  type Search,
  type SimilarAnswer,
} from '@medialog/application/ports'
import { createRestarts, type LogPosition } from '@medialog/kernel'
import { Worker } from 'node:worker_threads'
import { mostVectors } from '../../search/vectors.ts'
import { preparing, type Found } from './preparing.ts'
import type {
  Announcement,
  Answer,
  Question,
  SearchReply,
  SearchRequest,
  SearchThreadOptions,
} from './worker.ts'

export interface SearchOptions {
  /** Where the catalog's files are. */
  folder: string
  catalog: Pick<Catalog, 'collection' | 'collections' | 'items' | 'models'>
  /** Memory for the indexes of all accounts together; 1 GiB unless told. */
  budgetBytes?: number
  /** Receives rows of the catalog that are not what was written, maybe the same many times. */
  onDamage?: (damage: Damage) => void
  /** The thread ended without being told to. */
  onDeath?: (error: unknown) => void
}

/**
 * Search in a thread of its own, so that scoring never holds up requests. The thread reads the catalog's files by
 * itself and keeps nothing else. Should it die, queries under way fail with EngineUnavailable and the next one starts
 * another; one that keeps dying is started ever later, and queries fail until then.
 */
export function openSearch({
  folder,
  catalog,
  budgetBytes = 2 ** 30,
  onDamage = () => undefined,
  onDeath = () => undefined,
}: SearchOptions): Search {
  const workerData: SearchThreadOptions = { folder, budgetBytes }
  const waiting = new Map<number, PromiseWithResolvers<Answer>>()
  const restarts = createRestarts()
  let thread: Worker | null = null
  let asked = 0
  let closed = false

  function start(): Worker {
    const pause = restarts.pause()
    if (closed || pause > 0)
      throw new EngineUnavailable('search', 'the search thread is not running', {
        retryAfterSeconds: Math.ceil(pause / 1_000),
      })
    restarts.started()
    const worker = new Worker(new URL('worker.ts', import.meta.url), { workerData, name: 'search' })
    let cause: unknown
    worker.on('message', answered)
    worker.on('error', (error) => {
      cause = error
    })
    worker.on('exit', (code) => {
      thread = null
      const died = new EngineUnavailable('search', `the search thread ended (${code})`, { cause })
      for (const query of waiting.values()) query.reject(died)
      waiting.clear()
      if (closed) return
      restarts.died()
      onDeath(cause ?? died)
    })
    return worker
  }

  function answered(reply: SearchReply): void {
    if ('damage' in reply) return onDamage(reply.damage)
    const query = waiting.get(reply.id)
    waiting.delete(reply.id)
    if ('answer' in reply) query?.resolve(reply.answer)
    else
      query?.reject(
        new EngineUnavailable('search', 'the query could not be answered', { cause: reply.error }),
      )
  }

  async function ask<T extends Answer>(question: Question): Promise<T> {
    thread ??= start()
    const id = asked++
    const answer = Promise.withResolvers<Answer>()
    waiting.set(id, answer)
    thread.postMessage({ ...question, id } satisfies SearchRequest, [])
    return answer.promise as Promise<T>
  }

  return {
    prepare: preparing(catalog, {
      announce(accountId, text) {
        // A thread that is still to be started has nothing to begin with.
        thread?.postMessage({ kind: 'announce', accountId, text } satisfies Announcement, [])
      },
      search: (query) => ask<Found>({ kind: 'search', query: { ...query, vectors: toSend(query.vectors) } }),
      advanced: (query) =>
        ask<AdvancedAnswer>({ kind: 'advanced', query: { ...query, vectors: toSend(query.vectors) } }),
    }),
    async similar(query) {
      const question = { kind: 'similar', query: { ...query, others: toSend(query.others) } } as const
      return (await ask<{ found: SimilarAnswer | null }>(question)).found
    },
    mostVectors,
    position: () => ask<LogPosition>({ kind: 'position', query: {} }),
    async close() {
      closed = true
      await thread?.terminate()
    },
  }
}

/** A view is sent with all of the buffer it looks at, which may hold many vectors. */
const toSend = (vectors: readonly QueryVector[]): QueryVector[] =>
  vectors.map((of) => ({ ...of, vector: of.vector.slice() }))
