import type { ErasedStore } from '@medialog/domain'
import type { Config } from './config.ts'

const STAYS =
  'the deletion stays, without content, and in batches of releases whose logs have no streams `files-…` the names of their files'

/** What receipts say of each store that this configuration keeps content in: docs/architecture.md has the reasoning. */
export const erasedStores = ({
  eventStoreDb,
  elasticsearch,
  bucket,
  kafka,
}: Pick<Config, 'eventStoreDb' | 'elasticsearch' | 'bucket' | 'kafka'>): ErasedStore[] => [
  {
    store: 'log',
    how: eventStoreDb
      ? `reads of the streams do not show their past; reads of all streams and the server’s files hold it until a scavenge that begins after this erasure has gone over their chunks; ${STAYS}`
      : `the past of the streams is overwritten with zeros; ${STAYS}`,
  },
  {
    store: 'artifacts',
    how: bucket ? 'the objects are deleted from the bucket' : 'the files are removed',
  },
  {
    store: 'read models',
    how: elasticsearch
      ? 'the documents are replaced by ones without content, and merged away'
      : 'the rows are overwritten with zeros, and the write-ahead log truncated; ids stay',
  },
  {
    store: 'kept answers',
    how: 'answers for repeats cannot be opened any more, and are removed within 25 hours',
  },
  ...(kafka
    ? [{ store: 'published events', how: 'no content, name of a file or reason is ever published' } as const]
    : []),
]
