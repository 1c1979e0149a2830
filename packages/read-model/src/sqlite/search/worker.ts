import type {
  AdvancedAnswer,
  AdvancedQuery,
  Damage,
  SearchQuery,
  SimilarAnswer,
  SimilarQuery,
} from '@medialog/application/ports'
import type { LogPosition, Uuid } from '@medialog/kernel'
import { setImmediate } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { openDatabaseSource } from '../database-source.ts'
import type { Found } from './preparing.ts'
import { Searcher } from './searcher.ts'

export interface SearchThreadOptions {
  /** Where the catalog's files are. */
  folder: string
  /** How much memory the indexes of all accounts may take together. */
  budgetBytes: number
}

export type Question =
  | { kind: 'search'; query: SearchQuery }
  | { kind: 'advanced'; query: AdvancedQuery }
  | { kind: 'similar'; query: SimilarQuery }
  | { kind: 'position'; query: object }

export type Answer = Found | AdvancedAnswer | { found: SimilarAnswer | null } | LogPosition

/** Expects no answer. */
export interface Announcement {
  kind: 'announce'
  accountId: Uuid
  text: string
}

export type SearchRequest = Question & { id: number }

export type SearchReply = { id: number; answer: Answer } | { id: number; error: unknown } | { damage: Damage }

const { folder, budgetBytes } = workerData as SearchThreadOptions
const port = parentPort!
const say = (reply: SearchReply): void => port.postMessage(reply)
const source = openDatabaseSource(folder, 'catalog', (damage) => say({ damage }))
const searcher = new Searcher(source, budgetBytes)

port.on('message', (message: SearchRequest | Announcement) => {
  if (message.kind === 'announce') return searcher.announce(message.accountId, message.text)
  const { id, ...question } = message
  answerTo(question).then(
    (answer) => say({ id, answer }),
    (error: unknown) => say({ id, error }),
  )
})

async function answerTo(question: Question): Promise<Answer> {
  for (;;) {
    const answer = attempt(question)
    if (answer !== null) return answer
    await setImmediate()
  }
}

function attempt(question: Question): Answer | null {
  switch (question.kind) {
    case 'search':
      return searcher.search(question.query)
    case 'advanced':
      return searcher.advanced(question.query)
    case 'similar':
      return searcher.similar(question.query)
    case 'position':
      return searcher.position()
  }
}
