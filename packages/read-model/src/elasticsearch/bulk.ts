import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@elastic/elasticsearch'
import { EngineUnavailable } from '@medialog/application/ports'

/** A document to be written whole. */
export interface Write {
  id: string
  /** Documents of one routing are in one shard. */
  routing: string
  /** The log position that made it what it is: an earlier one never replaces a later one. */
  version: number
  /** Also in place of what has the same version. */
  again?: boolean
  document: object
}

/** A request of about so many bytes at a time. */
const MOST_BYTES = 4 * 2 ** 20
const BUSY = 429
const PASSED = 409
const FIRST_PAUSE_MS = 50
const TRIES = 8

/**
 * Writes them all, and answers in how many requests. What is there at that position or a later one is done already. Where
 * the engine says that it is too busy, only what it refused is sent again, after ever longer pauses.
 * `refresh`: what the last request writes is seen once it is answered.
 * @throws EngineUnavailable when it stays too busy, Error for a document that it will not have
 */
export async function writeAll(
  client: Client,
  index: string,
  writes: Iterable<Write> | AsyncIterable<Write>,
  { refresh = false } = {},
): Promise<number> {
  let part: Prepared[] = []
  let bytes = 0
  let requests = 0
  for await (const write of writes) {
    const lines = linesOf(write)
    part.push({ write, lines })
    bytes += lines[0].length + lines[1].length
    if (bytes < MOST_BYTES) continue
    await send(client, index, part, false)
    requests++
    part = []
    bytes = 0
  }
  if (part.length === 0) return requests
  await send(client, index, part, refresh)
  return requests + 1
}

interface Prepared {
  write: Write
  /** What to do, and the document, as JSON. */
  lines: [string, string]
}

function linesOf({ id, routing, version, again = false, document }: Write): Prepared['lines'] {
  const version_type = again ? 'external_gte' : 'external'
  const action = { index: { _id: id, routing, version, version_type } }
  return [JSON.stringify(action), JSON.stringify(document)]
}

async function send(client: Client, index: string, part: Prepared[], refresh: boolean): Promise<void> {
  let left = part
  for (let attempt = 1; left.length > 0; attempt++) {
    const { items } = await client.bulk({
      index,
      ...(refresh && { refresh }),
      operations: left.flatMap(({ lines }) => lines) as unknown as object[],
    })
    const refused: typeof left = []
    for (const [at, item] of items.entries()) {
      const { status, error } = item.index!
      if (status === BUSY) refused.push(left[at]!)
      else if (status >= 300 && status !== PASSED)
        throw new Error(`Elasticsearch will not have ${left[at]!.write.id}: ${error?.type}: ${error?.reason}`)
    }
    left = refused
    if (left.length === 0) return
    if (attempt === TRIES)
      throw new EngineUnavailable('elasticsearch', 'Elasticsearch takes no more writes for now.')
    await sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1))
  }
}
