import { randomUUID } from 'node:crypto'
import type { Client } from '@elastic/elasticsearch'
import { STORES, type Coordination, type Note, type StoreName } from '@medialog/application/ports'
import type { LogPosition } from '@medialog/kernel'
import { checkpointPlace, type CheckpointDocument } from './checkpoint.ts'
import { isConflict, statusOf, unavailableWhenAway } from './connection.ts'
import { aliasOf } from './indices.ts'
import { lastingIndex } from './lasting-index.ts'
import { collected, everything } from './pages.ts'
import type { ReaderOptions } from './reader.ts'

interface NoteDocument<Value> {
  id: string
  /** Of one write: who repeats a write whose answer was lost finds that it was made. */
  token: string
  value: Value
}

/** Coordination through one index, which is made where it is missing. The client's requests should not wait long. */
export function openElasticsearchCoordination({ client, prefix }: ReaderOptions): Coordination {
  const index = `${prefix}coordination`
  const { make } = lastingIndex(client, index, { value: { type: 'object', enabled: false } })

  async function find<Value>(id: string): Promise<{ note: Note<Value>; token: string } | null> {
    try {
      const { _source, ...found } = await client.get<NoteDocument<Value>>({ index, id })
      const { value, token } = _source!
      return { note: { id, value, revision: revisionOf(found) }, token }
    } catch (error) {
      if (statusOf(error) === 404) return null
      throw error
    }
  }

  const read = async <Value>(id: string): Promise<Note<Value> | null> => (await find<Value>(id))?.note ?? null

  return unavailableWhenAway<Coordination>({
    read,

    async list<Value>(beginning: string) {
      await make()
      await client.indices.refresh({ index })
      const query = { prefix: { id: beginning } }
      const found = await collected(
        everything<NoteDocument<Value>>(client, { index, query, sort: [{ id: 'asc' }] }),
      )
      const notes = await Promise.all(found.map(({ id }) => read<Value>(id)))
      return notes.filter((note) => note !== null)
    },

    async write<Value>(id: string, value: Value, before: Note<unknown> | null) {
      await make()
      const document = { id, token: randomUUID(), value }
      const condition = before ? conditionOf(before) : { op_type: 'create' as const }
      try {
        const written = await client.index({ index, id, ...condition, document })
        return { id, value, revision: revisionOf(written) }
      } catch (error) {
        if (!isConflict(error)) throw error
        const there = await find<Value>(id)
        return there?.token === document.token ? there.note : null
      }
    },

    async remove(note) {
      try {
        await client.delete({ index, id: note.id, ...conditionOf(note) })
      } catch (error) {
        if (!isConflict(error) && statusOf(error) !== 404) throw error
      }
    },

    positions: () => positions(client, prefix),
  })
}

const revisionOf = ({ _seq_no, _primary_term }: { _seq_no?: number; _primary_term?: number }): string =>
  `${_seq_no}/${_primary_term}`

function conditionOf({ revision }: Note<unknown>): { if_seq_no: number; if_primary_term: number } {
  const [if_seq_no, if_primary_term] = revision.split('/').map(Number) as [number, number]
  return { if_seq_no, if_primary_term }
}

async function positions(client: Client, prefix: string): Promise<Map<StoreName, LogPosition>> {
  const { docs } = await client.mget<CheckpointDocument>({
    docs: STORES.map((name) => ({ _index: aliasOf(prefix, name), ...checkpointPlace })),
  })
  const found = new Map<StoreName, LogPosition>()
  for (const [at, doc] of docs.entries())
    if ('found' in doc && doc.found) found.set(STORES[at]!, doc._source!.checkpoint)
  return found
}
