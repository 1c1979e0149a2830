import type { Erasure, ErasureLedger } from '@medialog/application/ports'
import type { LogPosition } from '@medialog/kernel'
import { isConflict, statusOf, unavailableWhenAway } from './connection.ts'
import { lastingIndex } from './lasting-index.ts'
import type { ReaderOptions } from './reader.ts'

type Ingest = Pick<Erasure, 'mediaId' | 'ingestId'>

/** The ledger as the catalog's reader uses it, beside the port. */
export interface SharedErasureLedger extends ErasureLedger {
  /** Every erasure below this log position is done. `applied`: how far the catalog has got, which it never is beyond. */
  doneBelow(applied: LogPosition): Promise<LogPosition>
  /** Records that every erasure below `position` is done, so that they are not checked again. */
  raise(position: LogPosition): Promise<void>
}

const BELOW = 'below'

/**
 * What erasers have carried out, in an index that rebuilds of the catalog leave alone. Where it is lost, or says what
 * cannot be, every erasure in the log is done again, which is work and no harm.
 */
export function openElasticsearchErasureLedger({ client, prefix }: ReaderOptions): SharedErasureLedger {
  const index = `${prefix}erased`
  const { make } = lastingIndex(client, index)

  async function below(): Promise<LogPosition> {
    try {
      return (await client.get<{ below: LogPosition }>({ index, id: BELOW }))._source!.below
    } catch (error) {
      if (statusOf(error) === 404) return 0
      throw error
    }
  }

  return unavailableWhenAway<SharedErasureLedger>({
    async markErased(erasure) {
      await make()
      await client.index({ index, id: idOf(erasure), document: { id: idOf(erasure) } })
    },

    async areDone(erasures) {
      if (erasures.length === 0) return []
      await make()
      const { docs } = await client.mget({ index, ids: erasures.map(idOf), _source: false })
      return docs.map((doc) => 'found' in doc && doc.found)
    },

    async doneBelow(applied) {
      const position = await below()
      if (position <= applied) return position
      // It is of another log.
      await client.indices.delete({ index, ignore_unavailable: true })
      return 0
    },

    async raise(position) {
      if (position <= 0) return
      await make()
      const document = { id: BELOW, below: position }
      try {
        await client.index({ index, id: BELOW, version: position, version_type: 'external', document })
      } catch (error) {
        // It has that position already, or a later one.
        if (!isConflict(error)) throw error
      }
    },
  })
}

const idOf = ({ mediaId, ingestId }: Ingest): string => `${mediaId}/${ingestId}`
