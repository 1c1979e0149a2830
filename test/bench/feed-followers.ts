import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { serverSentEvents } from '@medialog/client'

/**
 * Follows one account so many times at once, in a process of its own. Says `ready`; once each has so many events, and
 * standard input has ended, it says when each came, by the number that is the event's `creditId`.
 */
const [url, apiKey, followers, events] = process.argv.slice(2)

async function open(): Promise<IncomingMessage> {
  const asking = request(`${url}/v1/events`, { headers: { 'x-api-key': apiKey }, agent: false }).end()
  const [response] = (await once(asking, 'response')) as [IncomingMessage]
  if (response.statusCode !== 200) throw new Error(await text(response))
  return response
}

async function arrivals(response: IncomingMessage): Promise<number[]> {
  const at: number[] = []
  let count = 0
  for await (const { data } of serverSentEvents(response)) {
    const { creditId } = (JSON.parse(data) as { data: { creditId: string } }).data
    at[Number(creditId)] = performance.timeOrigin + performance.now()
    if (++count === Number(events)) return at
  }
  throw new Error('the feed ended before it was complete')
}

const responses = await Promise.all(Array.from({ length: Number(followers) }, open))
console.log('ready')
const all = await Promise.all(responses.map(arrivals))
await text(process.stdin)
console.log(JSON.stringify(all))
