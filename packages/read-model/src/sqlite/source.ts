import type { DatabaseSync } from 'node:sqlite'

/**
 * Where readers find their database. A rebuild swaps in another file while they run: `epoch` then grows, and a reader that
 * kept anything of the old database (statements, caches) lets go of it.
 */
export interface DatabaseSource {
  /** @throws EngineUnavailable without a database */
  current(): { database: DatabaseSync; epoch: number }
  /**
   * What to throw for an error that a read of that epoch ended in: damage is reported and becomes EngineUnavailable,
   * anything else stays what it is.
   */
  failure(epoch: number, error: unknown): unknown
}

/** The same port, its asynchronous reads watched for damage. */
export function guarded<Port extends object>(source: DatabaseSource, port: Port): Port {
  const methods = Object.entries(port) as [string, (...of: unknown[]) => Promise<unknown>][]
  return Object.fromEntries(methods.map(([name, read]) => [name, guard(source, read)])) as Port
}

const guard =
  (source: DatabaseSource, read: (...of: unknown[]) => Promise<unknown>) =>
  async (...of: unknown[]): Promise<unknown> => {
    const { epoch } = source.current()
    try {
      return await read(...of)
    } catch (error) {
      throw source.failure(epoch, error)
    }
  }
