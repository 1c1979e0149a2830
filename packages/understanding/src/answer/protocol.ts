import type { MessagePort } from 'node:worker_threads'
import type { AnswerPart, Embedder, FileAnalysis, FileQuestion, Question } from '@medialog/application/ports'

/** What answering threads do: what they are asked, and what comes of it. */
export interface Tasks {
  /** Tokens of each text, until they are more than `most` together. */
  count: { asked: { texts: readonly string[]; most: number }; result: number[] }
  answer: { asked: Question; result: AnswerPart[] }
  analyze: { asked: FileQuestion; result: FileAnalysis }
}
export type Kind = keyof Tasks

export interface Task<K extends Kind = Kind> {
  kind: K
  asked: Tasks[K]['asked']
  /** The embedder, which stays with its own threads: `ToEmbedder` goes in, `FromEmbedder` comes back. */
  port: MessagePort
  cosineFloor: number
}

export type Outcome<K extends Kind = Kind> = { result: Tasks[K]['result'] } | { error: unknown }

export interface ToEmbedder {
  id: number
  texts: readonly string[]
  options: Pick<NonNullable<Parameters<Embedder['embed']>[1]>, 'priority'>
}

/** `vectors` null: the embedder failed, and who asked for the task is told why. */
export interface FromEmbedder {
  id: number
  vectors: Float32Array[] | null
}
