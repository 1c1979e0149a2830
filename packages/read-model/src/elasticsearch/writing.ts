import type { Client } from '@elastic/elasticsearch'
import { writeAll, type Write } from './bulk.ts'

export interface WritingOptions {
  client: Client
  index: string
  /** Resolves once it is known that the writer still may: nothing is written before, but what is there is read. */
  allowed: Promise<void>
  /** Whether what is written is to be seen when the batch has been written. */
  refresh: boolean
}

/** What one batch of changes writes to an index. */
export class Writing {
  readonly #options: WritingOptions
  #isSeen: boolean

  constructor(options: WritingOptions) {
    this.#options = options
    this.#isSeen = options.refresh
  }

  /** The last request refreshes the index: all of the batch is seen where it wrote something, or nothing was written. */
  get isSeen(): boolean {
    return this.#isSeen
  }

  /** `last`: nothing comes after it. @throws what writeAll throws, and why the writer may not */
  async write(writes: AsyncIterable<Write>, last: boolean): Promise<void> {
    const { client, index, allowed, refresh } = this.#options
    await allowed
    const sees = last && refresh
    const requests = await writeAll(client, index, writes, { refresh: sees })
    if (requests > 0) this.#isSeen = sees
  }
}
