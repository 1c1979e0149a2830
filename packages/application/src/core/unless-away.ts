import { EngineUnavailable, StreamDamaged } from '../ports/index.ts'

const nullOn =
  (kind: abstract new (...args: never[]) => Error) =>
  async <T>(asked: Promise<T>): Promise<T | null> => {
    try {
      return await asked
    } catch (error) {
      if (error instanceof kind) return null
      throw error
    }
  }

/**
 * What an engine says that can be done without; null where it is away. A look at a read model before anything is decided,
 * for one: it refuses early what the deciders would refuse anyway, and a log that takes events is not to wait for it.
 */
export const unlessAway = nullOn(EngineUnavailable)

/** What comes of work on a stream; null where the stream is damaged, which must not keep other streams' work from being done. */
export const unlessDamaged = nullOn(StreamDamaged)
