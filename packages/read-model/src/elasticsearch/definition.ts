import type { Client, estypes } from '@elastic/elasticsearch'
import type { Digests, PositionedChange, StoreName } from '@medialog/application/ports'
import type { LogPosition } from '@medialog/kernel'
import type { OpenedSnapshot } from './snapshot.ts'
import type { Writing } from './writing.ts'

/** One read model in Elasticsearch: how its documents are indexed, and how a change lands in them. */
export interface IndexDefinition<Change> {
  name: StoreName
  /** Raised whenever documents or mapping change: an index of another version is rebuilt, never altered. */
  version: number
  /** The oldest version with the same mapping: its index serves until it is made again. `version` unless it is given. */
  servesFrom?: number
  /** Names of read models of former releases that it takes the place of: their indices are removed. */
  replaces?: readonly string[]
  settings: estypes.IndicesIndexSettings
  properties: Record<string, estypes.MappingProperty>
  /** Readers refresh the index before they search it; else each batch of changes is seen once it is applied. */
  isRefreshedByReaders?: boolean
  contentOf(client: Client, index: string): IndexContent<Change>
}

/** What one index holds, as changes leave it. */
export interface IndexContent<Change> {
  /** Writes what the changes make of it, so that the same again, also after what followed, changes nothing. */
  apply(changes: readonly PositionedChange<Change>[], writing: Writing): Promise<void>
  /** See ReadModelSnapshot. */
  digests(snapshot: OpenedSnapshot): Promise<Digests>
  /** Only of a read model whose changes take content away that must leave the files soon. */
  erasing?: ErasingContent<Change>
}

export interface ErasingContent<Change> {
  erases(change: Change): boolean
  /** Wipes what these changes will take away, now and as it lands, until their turn. Answers how much was there. */
  eraseAhead(changes: readonly PositionedChange<Change>[]): Promise<number>
  /** The turn of everything up to there has come. */
  passed(position: LogPosition): void
}

/** Of every index: the writer says when it is refreshed, which one request does for its only shard; a replica where there is a second node. */
export const SETTINGS: estypes.IndicesIndexSettings = {
  number_of_shards: 1,
  refresh_interval: '-1',
  auto_expand_replicas: '0-1',
}

export const keyword = { type: 'keyword' } as const
export const long = { type: 'long' } as const
