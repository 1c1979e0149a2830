import { EngineUnavailable } from './ports/index.ts'

/**
 * What an engine says that can be done without; null where it is away. A look at a read model before anything is decided,
 * for one: it refuses early what the deciders would refuse anyway, and a log that takes events is not to wait for it.
 */
export async function unlessAway<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof EngineUnavailable) return null
    throw error
  }
}
