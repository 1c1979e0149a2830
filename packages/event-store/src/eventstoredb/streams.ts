import type { StreamName } from '@medialog/kernel'
import type { ServerEvent } from './pages.ts'

/** What the server puts before a stream's name for the stream of its metadata. */
const METADATA = '$$'

/** The log's streams among all those of a server, by what their names begin with. */
export class Streams {
  readonly prefix: string

  constructor(prefix: string) {
    this.prefix = prefix
  }

  onServer(stream: StreamName): string {
    return this.prefix + stream
  }

  /** What names of the log's streams begin with, and of their metadata. */
  get prefixes(): string[] {
    return [this.prefix, METADATA + this.prefix]
  }

  /** Null for an event of somebody else's, or of the server itself. */
  of({ streamId }: ServerEvent): StreamName | null {
    return streamId.startsWith(this.prefix) ? (streamId.slice(this.prefix.length) as StreamName) : null
  }

  /** The stream whose metadata the event changes, or null. */
  ofMetadata({ streamId }: ServerEvent): StreamName | null {
    const prefix = METADATA + this.prefix
    return streamId.startsWith(prefix) ? (streamId.slice(prefix.length) as StreamName) : null
  }
}
