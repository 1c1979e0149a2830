import type {
  UnfinishedCharge,
  UnfinishedErasure,
  UnfinishedIngest,
  UnfinishedWork,
} from '@medialog/application/ports'
import { unavailableWhenAway } from '../connection.ts'
import { collected, everything } from '../pages.ts'
import { readerOf, type ReaderOptions } from '../reader.ts'
import type { BatchDocument, OpenDocument } from './definition.ts'

/** What was begun and has not ended, in the order in which it began, over Elasticsearch. */
export function openElasticsearchWork(options: ReaderOptions): UnfinishedWork {
  const { client, index, position } = readerOf(options, 'work')

  async function opened<
    Kind extends keyof Pick<OpenDocument, 'ingests' | 'charges' | 'requests' | 'erasures'>,
  >(kind: Kind): Promise<OpenDocument[Kind][number][]> {
    const query = { bool: { filter: [{ term: { kind: 'open' } }, { range: { open: { gt: 0 } } }] } }
    const found = await collected(
      everything<OpenDocument>(client, {
        index,
        query,
        sort: [{ id: 'asc' }],
        _source: [kind],
      }),
    )
    return found
      .flatMap((document): OpenDocument[Kind][number][] => document[kind])
      .sort((a, b) => a.begun - b.begun)
  }

  return unavailableWhenAway<UnfinishedWork>({
    ingests: async () => (await opened('ingests')).map(ingestOf),
    charges: async () => (await opened('charges')).map(chargeOf),
    requests: async () => (await opened('requests')).map(requestOf),
    erasures: async () => (await opened('erasures')).map(erasureOf),

    async batches() {
      const query = { bool: { filter: [{ term: { kind: 'batch' } }, { term: { ended: false } }] } }
      const found = await collected(
        everything<BatchDocument>(client, { index, query, sort: [{ begun: 'asc' }] }),
      )
      return found.map(({ batchId, accountId, status }) => ({ batchId, accountId, status }))
    },

    position,
  })
}

const ingestOf = (ingest: OpenDocument['ingests'][number]): UnfinishedIngest => {
  const { accountId, mediaId, ingestId, jobId, batchId, at } = ingest
  return { accountId, mediaId, ingestId, jobId, batchId, at }
}

const chargeOf = (charge: OpenDocument['charges'][number]): UnfinishedCharge => {
  const { accountId, chargeId, rest, cause, at } = charge
  return { accountId, chargeId, rest: BigInt(rest), cause, at }
}

const erasureOf = ({ accountId, erasureId }: UnfinishedErasure): UnfinishedErasure => ({
  accountId,
  erasureId,
})

const requestOf = ({ stream, accountId, requestId, at }: OpenDocument['requests'][number]) => ({
  stream,
  accountId,
  requestId,
  at,
})
