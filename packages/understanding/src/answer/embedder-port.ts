import type { MessagePort } from 'node:worker_threads'
import type { Embedder, WorkOptions } from '@medialog/application/ports'
import type { FromEmbedder, ToEmbedder } from './protocol.ts'

/** What answering takes of an embedder. */
export type AnsweringEmbedder = Pick<Embedder, 'cosineFloor' | 'embed'>

/** Embeds what is asked for through the port; `failure` is the last one's cause, which does not cross threads. */
export function serveEmbedder(
  port: MessagePort,
  embedder: AnsweringEmbedder,
  work: WorkOptions,
): { failure: unknown } {
  const served: { failure: unknown } = { failure: null }
  const embed = async ({ id, texts, options }: ToEmbedder): Promise<void> => {
    const answer: FromEmbedder = { id, vectors: null }
    try {
      answer.vectors = await embedder.embed(texts, { ...options, ...work })
    } catch (error) {
      served.failure = error
    }
    port.postMessage(answer)
  }
  port.on('message', (asked: ToEmbedder) => void embed(asked))
  return served
}

/** The embedder at the other end of the port. */
export function embedderBehind(port: MessagePort, cosineFloor: number): AnsweringEmbedder {
  const waiting: PromiseWithResolvers<Float32Array[]>[] = []
  port.on('message', ({ id, vectors }: FromEmbedder) => {
    if (vectors) waiting[id]!.resolve(vectors)
    else waiting[id]!.reject(new Error('the embedder failed'))
  })
  return {
    cosineFloor,
    embed(texts, options = {}) {
      const asked: ToEmbedder = { id: waiting.length, texts, options }
      const answer = Promise.withResolvers<Float32Array[]>()
      waiting.push(answer)
      port.postMessage(asked)
      return answer.promise
    },
  }
}
