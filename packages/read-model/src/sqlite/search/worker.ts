import type { Damage, SearchAnswer, SearchQuery } from '@medialog/application/ports'
import type { LogPosition } from '@medialog/kernel'
import { setImmediate } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { openDatabaseSource } from '../database-source.ts'
import { Searcher } from './searcher.ts'

export interface SearchThreadOptions {
  /** Where the catalog's files are. */
  folder: string
  /** How much memory the indexes of all accounts may take together. */
  budgetBytes: number
}

/** Without a query: asks for the position. */
export interface SearchRequest {
  id: number
  query: SearchQuery | null
}

export type SearchReply =
  | { id: number; answer: SearchAnswer | LogPosition }
  | { id: number; error: unknown }
  | { damage: Damage }

const { folder, budgetBytes } = workerData as SearchThreadOptions
const port = parentPort!
const say = (reply: SearchReply): void => port.postMessage(reply)
const source = openDatabaseSource(folder, 'catalog', (damage) => say({ damage }))
const searcher = new Searcher(source, budgetBytes)

port.on('message', ({ id, query }: SearchRequest) => {
  answerTo(query).then(
    (answer) => say({ id, answer }),
    (error: unknown) => say({ id, error }),
  )
})

async function answerTo(query: SearchQuery | null): Promise<SearchAnswer | LogPosition> {
  for (;;) {
    const answer = query ? searcher.search(query) : searcher.position()
    if (answer !== null) return answer
    await setImmediate()
  }
}
