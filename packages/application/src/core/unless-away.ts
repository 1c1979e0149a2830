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
 * The answer of an engine that is not needed; null while it is unavailable. A look at a read model before anything is decided,
 * for one: it refuses early what the deciders would refuse anyway, and a log that takes events is not to wait for it.
 */
export const unlessAway = nullOn(EngineUnavailable)

/** The result of work on a stream; null for a damaged stream, which must not block the work of other streams. */
export const unlessDamaged = nullOn(StreamDamaged)
