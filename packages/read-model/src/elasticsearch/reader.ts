import type { Client } from '@elastic/elasticsearch'

export interface ReaderOptions {
  client: Client
  /** See openIndexStore. */
  prefix: string
}
