import type { SearchAnswer, SearchQuery } from '@medialog/application/ports'
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

export interface SearchRequest {
  id: number
  query: SearchQuery
}

export type SearchReply = { id: number; answer: SearchAnswer } | { id: number; error: unknown }

const { folder, budgetBytes } = workerData as SearchThreadOptions
const searcher = new Searcher(openDatabaseSource(folder, 'catalog'), budgetBytes)
const port = parentPort!

port.on('message', ({ id, query }: SearchRequest) => void reply(id, query))

async function reply(id: number, query: SearchQuery): Promise<void> {
  let message: SearchReply
  try {
    message = { id, answer: await answerTo(query) }
  } catch (error) {
    message = { id, error }
  }
  port.postMessage(message)
}

async function answerTo(query: SearchQuery): Promise<SearchAnswer> {
  for (;;) {
    const answer = searcher.search(query)
    if (answer) return answer
    await setImmediate()
  }
}
