import type { StreamName } from '@medialog/kernel'
import type { ServerEvent } from './pages.ts'

/** The log's streams among all those of a server, by what their names begin with. */
export class Streams {
  readonly prefix: string

  constructor(prefix: string) {
    this.prefix = prefix
  }

  onServer(stream: StreamName): string {
    return this.prefix + stream
  }

  /** Null for an event of somebody else's, or of the server itself. */
  of({ streamId }: ServerEvent): StreamName | null {
    return streamId.startsWith(this.prefix) ? (streamId.slice(this.prefix.length) as StreamName) : null
  }
}
