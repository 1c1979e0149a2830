import type { Client } from '@elastic/elasticsearch'
import type { AccountsWanted, Erasure } from '@medialog/application/ports'
import { readCheckpoint } from '../checkpoint.ts'
import { everything, type Wanted } from '../pages.ts'
import type { Query } from '../query.ts'
import type { SharedErasureLedger } from '../erasure-ledger.ts'
import {
  collectionId,
  type CollectionDocument,
  type ErasureDocument,
  type ItemDocument,
} from './documents.ts'
import { allEnded } from './ended.ts'

const PAGE = 1_000

/** Which erasures were carried out: see erasure-ledger.ts. */
export type ErasuresDone = Pick<SharedErasureLedger, 'areDone' | 'doneBelow' | 'raise'>

/** Oldest first. What is done at the head of the list is remembered as such, so the list stays short to read. */
export async function pendingErasures(
  client: Client,
  index: string,
  done: ErasuresDone,
  limit: number,
  accounts: AccountsWanted = {},
): Promise<Erasure[]> {
  const gone = await goneIngests(client, index, done, limit, accounts)
  const ended = await inEnded(client, index, limit, accounts)
  return [...gone, ...ended].sort((a, b) => a.position - b.position).slice(0, limit)
}

async function goneIngests(
  client: Client,
  index: string,
  done: ErasuresDone,
  limit: number,
  accounts: AccountsWanted,
): Promise<Erasure[]> {
  const { position: applied } = await readCheckpoint(client, index)
  const start = await done.doneBelow(applied)
  const pending: Erasure[] = []
  let last = start
  for await (const page of erasuresFrom(client, index, start, accounts)) {
    last = page.at(-1)!.position
    const isDone = await done.areDone(page.map(({ media, ingest }) => ({ mediaId: media, ingestId: ingest })))
    for (const [at, { account, media, ingest, cause, revision, position }] of page.entries()) {
      if (isDone[at]) continue
      pending.push({ accountId: account, mediaId: media, ingestId: ingest, cause, revision, position })
      if (pending.length === limit) break
    }
    if (pending.length === limit) break
  }
  // A writer that died between a batch and its checkpoint left erasures beyond that, which the next one writes again.
  if (accounts.of === undefined && !accounts.notOf?.length)
    await done.raise(Math.min(applied, pending[0]?.position ?? last))
  return pending
}

async function* erasuresFrom(
  client: Client,
  index: string,
  position: number,
  accounts: AccountsWanted,
): AsyncGenerator<ErasureDocument[]> {
  const from = { range: { position: { gte: position } } }
  const query = { bool: { filter: [{ term: { kind: 'erasure' } }, from, ...ofAccounts(accounts)] } }
  const sort: Wanted['sort'] = [{ position: 'asc' }, { media: 'asc' }, { ingest: 'asc' }]
  let page: ErasureDocument[] = []
  for await (const document of everything<ErasureDocument>(
    client,
    { index, query, sort },
    { pageSize: PAGE },
  )) {
    page.push(document)
    if (page.length < PAGE) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

const ofAccounts = ({ of, notOf }: AccountsWanted): Query[] => [
  ...(of === undefined ? [] : [{ term: { account: of } }]),
  ...(notOf?.length ? [{ bool: { must_not: [{ terms: { account: [...notOf] } }] } }] : []),
]

/** Items of ended collections, of the collection that ended first. */
async function inEnded(
  client: Client,
  index: string,
  limit: number,
  accounts: AccountsWanted,
): Promise<Erasure[]> {
  const places = await allEnded(client, index)
  if (places.length === 0) return []
  const collections = await client.search<CollectionDocument>({
    index,
    size: PAGE,
    query: {
      bool: {
        filter: [
          { ids: { values: places.map(collectionId) } },
          { exists: { field: 'ended' } },
          ...ofAccounts(accounts),
        ],
      },
    },
    sort: [{ ended: 'asc' }],
  })
  const pending: Erasure[] = []
  for (const { _source } of collections.hits.hits) {
    if (pending.length >= limit) break
    const { place, collection, generation, ended } = _source!
    const { hits } = await client.search<Pick<ItemDocument, 'account' | 'media' | 'ingest' | 'revision'>>({
      index,
      version: true,
      size: limit - pending.length,
      query: { bool: { filter: [{ term: { kind: 'item' } }, { term: { place } }] } },
      sort: [{ media: 'asc' }],
      _source: ['account', 'media', 'ingest', 'revision'],
    })
    for (const hit of hits.hits) {
      const { account, media, ingest, revision } = hit._source!
      const item = { accountId: account, mediaId: media, ingestId: ingest }
      const ofEnded = {
        cause: 'ended',
        revision,
        position: ended!,
        place: { collection, generation },
      } as const
      // The version of a document is the position of the event that it shows.
      const late = hit._version! > ended! && ({ late: true } as const)
      pending.push({ ...item, ...ofEnded, ...late })
    }
  }
  return pending
}
