import type { WorkOptions } from '@medialog/application/ports'
import { MessageChannel } from 'node:worker_threads'
import { Threads } from '../threads.ts'
import { serveEmbedder, type AnsweringEmbedder } from './embedder-port.ts'
import type { Kind, Outcome, Task, Tasks } from './protocol.ts'

/** Each holds about 50 MB; most of an answer is embedding, which has threads of its own. */
const THREADS = 2
/** About a minute of them. */
const MOST_UNDER_WAY = 128
const MOST_OF_ONE = 64
const HEAP_MB = 256
const DEADLINE_MS = 120_000

/** Questions answered in worker threads, which come with the first question and go without one. */
export class AnsweringThreads {
  readonly #threads: Threads<Task, Outcome>
  readonly #embedder: AnsweringEmbedder

  /** @param lexicon a module that exports a Lexicon: functions cannot be handed to another thread */
  constructor(embedder: AnsweringEmbedder, lexicon: URL, deadlineMs = DEADLINE_MS) {
    this.#embedder = embedder
    this.#threads = new Threads({
      module: new URL('./thread.ts', import.meta.url),
      name: 'answering',
      engine: 'language model',
      task: 'question',
      pool: {
        workerData: lexicon.href,
        maxThreads: THREADS,
        resourceLimits: { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: HEAP_MB },
      },
      mostUnderWay: MOST_UNDER_WAY,
      mostOfOne: MOST_OF_ONE,
      deadlineMs,
    })
  }

  /** What came of the task. @throws as Threads does, and EngineUnavailable when the embedder is away */
  async run<K extends Kind>(
    kind: K,
    asked: Tasks[K]['asked'],
    work: WorkOptions = {},
  ): Promise<Tasks[K]['result']> {
    const { port1: own, port2: port } = new MessageChannel()
    let embedding: ReturnType<typeof serveEmbedder> | undefined
    try {
      const outcome = (await this.#threads.run((either) => {
        embedding = serveEmbedder(own, this.#embedder, { ...work, signal: either })
        const task: Task<K> = { kind, asked, port, cosineFloor: this.#embedder.cosineFloor }
        return { task, transferList: [port] }
      }, work)) as Outcome<K>
      if ('error' in outcome) throw embedding?.failure ?? outcome.error
      return outcome.result
    } finally {
      own.close()
    }
  }

  close(): Promise<void> {
    return this.#threads.close()
  }
}
