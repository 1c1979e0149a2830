import type { GroupBy, PostingRow, TimeRange, Transaction, Usage } from '@medialog/application/ports'
import type { Uuid } from '@medialog/kernel'
import { bucketOf, Costs, DAY, HOUR, piecesOf, type Piece } from '../../usage/costs.ts'
import { buckets } from '../buckets.ts'
import { unavailableWhenAway } from '../connection.ts'
import { everything } from '../pages.ts'
import type { Query } from '../query.ts'
import { readerOf, type ReaderOptions } from '../reader.ts'
import type { CostDocument, PostingDocument } from './definition.ts'

/** What was charged, refunded and credited, over Elasticsearch. Sums are made here, of whole numbers. */
export function openElasticsearchUsage(options: ReaderOptions): Usage {
  const { client, index, position } = readerOf(options, 'usage')

  const of = (account: Uuid, kind: 'posting' | 'cost', ...filter: Query[]) => ({
    index,
    routing: account,
    query: { bool: { filter: [{ term: { kind } }, { term: { account } }, ...filter] } },
  })

  /** The last postings at or before a moment, newest first. */
  async function latest(account: Uuid, asOf: number, size: number, ...filter: Query[]) {
    const { hits } = await client.search<PostingDocument>({
      ...of(account, 'posting', { range: { at: { lte: asOf } } }, ...filter),
      sort: [{ at: 'desc' }, { position: 'desc' }],
      size,
      track_total_hits: false,
    })
    return hits.hits.map(({ _source }) => _source!)
  }

  async function costsOf(account: Uuid, range: TimeRange, groupBy: GroupBy | null): Promise<Costs> {
    const costs = new Costs(groupBy)
    for (const piece of piecesOf(range, groupBy))
      if (piece.span > 1) await addCounted(account, piece, costs)
      else await addPosted(account, piece, costs)
    return costs
  }

  async function addCounted(account: Uuid, { span, from, to }: Piece, costs: Costs): Promise<void> {
    const wanted = of(account, 'cost', { term: { span } }, { range: { start: { gte: from, lt: to } } })
    for await (const { start, amounts } of everything<CostDocument>(client, {
      ...wanted,
      sort: [{ start: 'asc' }],
    }))
      for (const [price, amount] of Object.entries(amounts)) costs.add(start, price, BigInt(amount))
  }

  async function addPosted(account: Uuid, { from, to }: TimeRange, costs: Costs): Promise<void> {
    const wanted = of(account, 'posting', { range: { at: { gte: from, lt: to } } })
    for await (const { at, costs: lines } of everything<PostingDocument>(client, {
      ...wanted,
      sort: [{ at: 'asc' }, { position: 'asc' }],
    }))
      for (const [price, amount] of lines) costs.add(at, price, BigInt(amount))
  }

  return unavailableWhenAway<Usage>({
    async balance(account, asOf = Number.MAX_SAFE_INTEGER) {
      const [last] = await latest(account, asOf, 1)
      return BigInt(last?.balance ?? 0)
    },

    costs: async (account, range) => (await costsOf(account, range, null)).byPrice(),
    trends: async (account, range, groupBy) => (await costsOf(account, range, groupBy)).byBucket(),

    async balances(account, { from, to }, groupBy) {
      if (from >= to) return new Map()
      const wanted = of(account, 'posting', { range: { at: { gte: from, lt: to } } })
      const found = await buckets<LastOfBucket, 'at'>(
        client,
        wanted,
        ['at'],
        {
          last: {
            top_hits: { size: 1, sort: [{ at: 'desc' }, { position: 'desc' }], _source: ['at', 'balance'] },
          },
        },
        { at: groupBy === 'hour' ? HOUR : DAY },
      )
      // A month takes several steps: its last one is kept.
      return new Map(
        found.map(({ last: { hits } }) => {
          const { at, balance } = hits.hits[0]!._source
          return [bucketOf(at, groupBy), BigInt(balance)]
        }),
      )
    },

    transactions: async (account, { limit, asOf = Number.MAX_SAFE_INTEGER }) =>
      (await latest(account, asOf, limit)).map(transactionOf),

    async postings(account, { after, limit }) {
      const { hits } = await client.search<PostingDocument>({
        ...of(account, 'posting'),
        sort: [{ at: 'asc' }, { position: 'asc' }],
        ...(after && { search_after: [after.at, after.position] }),
        size: limit,
        track_total_hits: false,
      })
      return hits.hits.map(({ _source }) => rowOf(_source!))
    },

    async credited(account, creditId) {
      const { hits } = await client.search<PostingDocument>({
        ...of(account, 'posting', { term: { type: 'credit' } }, { term: { posting: creditId } }),
        sort: [{ position: 'asc' }],
        size: 1,
        track_total_hits: false,
      })
      const credit = hits.hits[0]?._source
      return credit ? BigInt(credit.amount) : null
    },

    async lastChargeAt(account, asOf = Number.MAX_SAFE_INTEGER) {
      const [last] = await latest(account, asOf, 1, { term: { type: 'charge' } })
      return last?.at ?? null
    },

    position,
  })
}

interface LastOfBucket {
  doc_count: number
  last: { hits: { hits: { _source: Pick<PostingDocument, 'at' | 'balance'> }[] } }
}

const rowOf = ({ position, posting: id, type, at, amount, balance }: PostingDocument): PostingRow => ({
  position,
  id,
  type,
  at,
  amount: BigInt(amount),
  balance: BigInt(balance),
})

const transactionOf = ({ at, type, amount, balance, cause, reference }: PostingDocument): Transaction => ({
  at,
  type,
  amount: BigInt(amount),
  balance: BigInt(balance),
  cause,
  reference,
})
