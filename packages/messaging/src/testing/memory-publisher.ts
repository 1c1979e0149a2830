import {
  EngineUnavailable,
  PublisherSuperseded,
  type EventPublisher,
  type PublishedMessage,
  type PublishedUpTo,
} from '@medialog/application/ports'

/** A place to publish to, in memory. */
export class MemoryBroker {
  readonly published: PublishedMessage[] = []
  /** While it is unavailable, everything fails. */
  away = false
  /** What befalls each `publish` before it is carried out; or, as `lost`, after: its answer never arrives. */
  fault: (() => 'failed' | 'lost' | null) | null = null
  readonly #names = new Map<string, { owner: symbol; session: symbol; checkpoint: PublishedUpTo | null }>()

  create(name: string): EventPublisher {
    const instance = Symbol('publisher')
    let claimed = false
    return {
      open: async () => {
        this.requireThere()
        const before = this.#names.get(name)
        const session = Symbol('session')
        const owner = claimed && before ? before.owner : instance
        const state = { owner, session, checkpoint: before?.checkpoint ?? null }
        this.#names.set(name, state)
        if (owner !== instance) throw new PublisherSuperseded(name)
        claimed = true
        return {
          checkpoint: state.checkpoint,
          publish: async (messages, checkpoint) => {
            this.requireThere()
            const fault = this.fault?.() ?? null
            if (fault === 'failed' || this.#names.get(name)?.session !== session) throw unavailable()
            this.published.push(...messages)
            state.checkpoint = checkpoint
            if (fault === 'lost') throw unavailable()
          },
        }
      },
      ask: async () => this.requireThere(),
      close: async () => undefined,
    }
  }

  requireThere(): void {
    if (this.away) throw unavailable()
  }
}

const unavailable = (): EngineUnavailable => new EngineUnavailable('memory', 'the broker is unavailable')
