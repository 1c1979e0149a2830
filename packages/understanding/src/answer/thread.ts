import { workerData } from 'node:worker_threads'
import { countTokens } from '@medialog/embedder/tokenizer'
import { analysisOf } from './analysis.ts'
import { answerOf } from './answer.ts'
import { boundedLexicon, type Lexicon } from './asked.ts'
import { embedderBehind } from './embedder-port.ts'
import type { Kind, Outcome, Task } from './protocol.ts'

/**
 * What answering threads run, one task at a time: the default export. Failures are answered, so that whatever else ends a
 * task is the thread's death.
 */
export default async function carryOut(task: Task): Promise<Outcome> {
  try {
    return { result: await resultOf(task) }
  } catch (error) {
    return { error }
  } finally {
    task.port.close()
  }
}

async function resultOf(task: Task): Promise<Extract<Outcome, { result: unknown }>['result']> {
  if (isOf('count', task)) return tokensOf(task.asked)
  const lexicon = boundedLexicon((await import(workerData as string)) as Lexicon)
  const options = { embedder: embedderBehind(task.port, task.cosineFloor), lexicon }
  if (isOf('answer', task)) return answerOf(task.asked, options)
  if (isOf('analyze', task)) return analysisOf(task.asked, options)
  throw new TypeError(`there is no task '${task.kind}'`)
}

const isOf = <K extends Kind>(kind: K, task: Task): task is Task<K> => task.kind === kind

function tokensOf({ texts, most }: Task<'count'>['asked']): number[] {
  const counts: number[] = []
  let left = most
  for (const text of texts) {
    if (left < 0) break
    const count = Math.min(countTokens(text, left), left + 1)
    left -= count
    counts.push(count)
  }
  return counts
}
