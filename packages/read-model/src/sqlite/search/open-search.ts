import { EngineUnavailable, type Search, type SearchAnswer } from '@medialog/application/ports'
import { Worker } from 'node:worker_threads'
import type { SearchReply, SearchRequest, SearchThreadOptions } from './worker.ts'

export interface SearchOptions {
  /** Where the catalog's files are. */
  folder: string
  /** Memory for the indexes of all accounts together; 1 GiB unless told. */
  budgetBytes?: number
}

/**
 * Search in a thread of its own, so that scoring never holds up requests. The thread reads the catalog's files by
 * itself; should it die, queries under way fail with EngineUnavailable and the next one starts another.
 */
export function openSearch({ folder, budgetBytes = 2 ** 30 }: SearchOptions): Search {
  const workerData: SearchThreadOptions = { folder, budgetBytes }
  const waiting = new Map<number, PromiseWithResolvers<SearchAnswer>>()
  let thread: Worker | null = null
  let asked = 0

  function start(): Worker {
    const worker = new Worker(new URL('worker.ts', import.meta.url), { workerData, name: 'search' })
    let cause: unknown
    worker.on('message', (reply: SearchReply) => {
      const query = waiting.get(reply.id)
      waiting.delete(reply.id)
      if ('answer' in reply) query?.resolve(reply.answer)
      else
        query?.reject(
          new EngineUnavailable('search', 'the query could not be answered', { cause: reply.error }),
        )
    })
    worker.on('error', (error) => {
      cause = error
    })
    worker.on('exit', () => {
      thread = null
      const died = new EngineUnavailable('search', 'the search thread ended', { cause })
      for (const query of waiting.values()) query.reject(died)
      waiting.clear()
    })
    return worker
  }

  return {
    search(query) {
      const id = asked++
      const answer = Promise.withResolvers<SearchAnswer>()
      waiting.set(id, answer)
      thread ??= start()
      // A view is sent with all of the buffer it looks at, which may hold many vectors.
      const vector = query.vector.slice()
      const request: SearchRequest = { id, query: { ...query, vector } }
      thread.postMessage(request, [vector.buffer])
      return answer.promise
    },
    async close() {
      await thread?.terminate()
    },
  }
}
