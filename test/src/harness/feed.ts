import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { CloudEvent, FeedEnd } from '@medialog/contract/http'
import { serverSentEvents } from '@medialog/client'
import type { z } from 'zod'

export type Told = z.output<typeof CloudEvent>

/** A feed as a client sees it, followed in the background. */
export interface Follower {
  /** Each checked by its schema. */
  events: Told[]
  /** Places to go on from: of each event, in order. */
  ids: string[]
  /** Where to go on from now. */
  lastId(): string
  types(): string[]
  /** Why the service ended it; null where it was cut off. Rejects where what was told is none of it. */
  ended: Promise<z.output<typeof FeedEnd> | null>
  /** Breaks it off. */
  leave(): void
}

/** @throws where it is refused, with status and body */
export async function follow(
  url: string,
  headers: Record<string, string>,
  query: Record<string, string> = {},
): Promise<Follower> {
  const parameters = new URLSearchParams(query).toString()
  const asking = request(`${url}/v1/events${parameters && `?${parameters}`}`, { headers, agent: false }).end()
  const [response] = (await once(asking, 'response')) as [IncomingMessage]
  if (response.statusCode !== 200) throw await refusalOf(response)
  const events: Told[] = []
  const ids: string[] = []
  let last = ''
  const read = async () => {
    for await (const { name, data } of serverSentEvents(response, (id) => void (last = id))) {
      if (name === 'end') return FeedEnd.parse(JSON.parse(data))
      events.push(CloudEvent.parse(JSON.parse(data)))
      ids.push(last)
    }
    return null
  }
  const ended = read().catch((error: unknown) => {
    // Cut off, by either side.
    if (response.destroyed && !response.complete) return null
    throw error
  })
  ended.catch(() => undefined)
  return {
    events,
    ids,
    lastId: () => last,
    types: () => events.map(({ type }) => type.replace('medialog.', '')),
    ended,
    leave: () => void response.destroy(),
  }
}

/** A request that was answered with something else than a feed. */
export class NotFollowed extends Error {
  readonly status: number
  readonly body: { error: { code: string; details: Record<string, unknown> } }

  constructor(status: number, text: string) {
    super(`${status} ${text}`)
    this.status = status
    this.body = JSON.parse(text) as NotFollowed['body']
  }
}

async function refusalOf(response: IncomingMessage): Promise<NotFollowed> {
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += String(chunk)
  return new NotFollowed(response.statusCode!, text)
}
