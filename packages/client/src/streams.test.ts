import { afterEach, describe, expect, test } from 'vitest'
import { createClient, MedialogError, type AnswerEvent, type FeedEvent } from './index.ts'
import { refused, startScriptedServer, type Outcome, type ScriptedServer } from './testing/scripted-server.ts'

let server: ScriptedServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

async function start(script: Parameters<typeof startScriptedServer>[0]) {
  server = await startScriptedServer(script)
  return createClient({ url: server.url, apiKey: 'mlk_a' })
}
const NOW = { 'retry-after': '0' }
const EVENTS = { 'content-type': 'text/event-stream' }
const events = (body: string): Outcome => ({ status: 200, body, headers: EVENTS })
const event = (id: string) => `id: ${id}\ndata: {"id":"${id}"}\n\n`

async function take(feed: AsyncIterable<FeedEvent>, count: number): Promise<string[]> {
  const taken: string[] = []
  for await (const { position } of feed) if (taken.push(position) === count) break
  return taken
}

describe('the events of an account', () => {
  test('go on behind the last one, whatever ends the connection', async () => {
    const client = await start((_, nth) => {
      if (nth === 1)
        return { breaksOff: `retry: 1000\n\n${event('a')}id: b\n\nid: c\ndata: {"hal`, headers: EVENTS }
      if (nth === 2) return refused(503, 'SERVICE_UNAVAILABLE', {}, NOW)
      if (nth === 3)
        return events(`${event('d')}event: end\ndata: {"reason":"stopping","message":"It stops."}\n\n`)
      return events(event('e') + event('f'))
    })
    const waits: string[] = []
    const input = { after: 'beginning', types: ['MediaIngested', 'MediaDeleted'] }
    const feed = client.events(input, { onRetry: ({ message }) => waits.push(message) })
    expect(await take(feed, 3)).toEqual(['a', 'd', 'e'])
    expect(feed.position).toBe('e')
    expect(server!.requests.map(({ query }) => query.get('after'))).toEqual(['beginning', 'b', 'b', 'd'])
    expect(server!.requests[0]!.query.get('types')).toBe('MediaIngested,MediaDeleted')
    expect(waits).toHaveLength(3)
    expect(waits[2]).toBe('It stops.')
  })

  test('are shown by the reads that follow, as is what was written', async () => {
    const client = await start(({ path, method }) => {
      if (path === '/v1/events') return events(event('a') + event('b'))
      const headers: Record<string, string> = method === 'GET' ? {} : { 'x-position': 'w' }
      return { status: 200, body: { success: true, data: {} }, headers }
    })
    await client.search({ query: 'written' })
    expect(await take(client.events(), 2)).toEqual(['a', 'b'])
    await client.listMedia()
    for (let feed = 0; feed < 5; feed++) await take(client.events(), 1)
    await client.listMedia()
    const waitedFor = server!.requests.flatMap(({ path, headers }) =>
      path === '/v1/media' ? [headers['x-min-position']] : [],
    )
    expect(waitedFor).toEqual(['w,b', 'w,a,a,a,a'])
    expect(client.positions).toEqual(['w', 'a', 'a', 'a', 'a'])
  })

  test('are refused at once, and later where it is for good', async () => {
    const client = await start((_, nth) => (nth === 2 ? events(event('a')) : refused(401, 'INVALID_API_KEY')))
    const told = async (): Promise<void> => {
      for await (const { position } of client.events()) expect(position).toBe('a')
    }
    await expect(told()).rejects.toMatchObject({ code: 'INVALID_API_KEY' })
    expect(server!.requests).toHaveLength(1)
    await expect(told()).rejects.toMatchObject({ code: 'INVALID_API_KEY' })
    expect(server!.requests).toHaveLength(3)
  })

  test('end with the signal’s reason', async () => {
    const client = await start(() => events(event('a')))
    const leaving = new AbortController()
    const told = async (): Promise<void> => {
      for await (const { position } of client.events({}, { signal: leaving.signal })) {
        expect(position).toBe('a')
        leaving.abort(new Error('enough'))
      }
    }
    await expect(told()).rejects.toThrow('enough')
  })
})

test('a client that was told to stop leaves also what waits for another try', async () => {
  server = await startScriptedServer((_, nth) =>
    nth === 1 ? events(event('a')) : refused(503, 'AWAY', {}, { 'retry-after': '60' }),
  )
  const stopping = new AbortController()
  const client = createClient({ url: server.url, apiKey: 'mlk_a', signal: stopping.signal, attempts: 1 })
  const waited: number[] = []
  const onRetry = (_: MedialogError, wait: number): void => {
    if (waited.push(wait) === 2) stopping.abort(new Error('enough'))
  }
  await expect(take(client.events({}, { onRetry }), 2)).rejects.toThrow('enough')
  expect(waited[1]).toBe(60_000)
})

describe('an answer in pieces', () => {
  const BILLING = { total_cost: 0.01 }
  const PIECES = [
    ['delta', { text: 'It is ' }],
    ['delta', { text: 'kept [1].' }],
    ['sources', { sources: [{ chunk: 2 }] }],
    ['billing', BILLING],
    ['done', { request: { query: 'what' }, metadata: {} }],
  ] as const
  const written = (pieces: readonly (readonly [string, object])[]): string =>
    pieces.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join('')
  async function asked(body: string): Promise<AnswerEvent[]> {
    const client = await start(() => events(body))
    const told: AnswerEvent[] = []
    for await (const piece of client.askInPieces({ query: 'what' })) told.push(piece)
    return told
  }

  test('ends with all of it', async () => {
    expect(await asked(written(PIECES))).toEqual([
      { type: 'delta', text: 'It is ' },
      { type: 'delta', text: 'kept [1].' },
      {
        type: 'done',
        answer: {
          response: 'It is kept [1].',
          sources: [{ chunk: 2 }],
          billing: BILLING,
          request: { query: 'what' },
        },
        replayed: false,
      },
    ])
    expect(JSON.parse(server!.requests[0]!.bytes.toString())).toEqual({ query: 'what', stream: true })
  })

  test('that fails or breaks off is an error', async () => {
    const failed = written([
      ...PIECES.slice(0, 1),
      ['error', { code: 'PROCESSING_ERROR', message: 'No.', details: {} }],
    ])
    await expect(asked(failed)).rejects.toMatchObject({ code: 'PROCESSING_ERROR', message: 'No.' })
    await server!.close()
    await expect(asked(written(PIECES.slice(0, 2)))).rejects.toThrow(MedialogError)
  })
})

describe('what goes on in the background', () => {
  const batch = (status: string, percent: number): Outcome => ({
    status: 200,
    body: { success: true, message: 'Done.', data: { status, progress: { percent } } },
  })

  test('a batch is looked at until all of its files are done, over a restart', async () => {
    const client = await start((_, nth) => {
      if (nth === 1) return batch('running', 20)
      if (nth === 2) return 'broken'
      return nth === 3 ? batch('cancelled', 80) : batch('cancelled', 100)
    })
    const seen: number[] = []
    const onChange = ({ progress }: { progress: { percent: number } }) => seen.push(progress.percent)
    const ended = await client.followBatch('batch_1', { onChange })
    expect(ended).toMatchObject({ status: 'cancelled' })
    expect(seen).toEqual([20, 80, 100])
  })

  test('an operation is told by events, and asked for where they break off', async () => {
    const running = JSON.stringify({ status: 'running' })
    const client = await start((_, nth) => {
      if (nth === 1) return { breaksOff: `event: operation\ndata: ${running}\n\n`, headers: EVENTS }
      return { status: 200, body: { success: true, message: 'Done.', data: { status: 'completed' } } }
    })
    const withToken = createClient({ url: client.url, operatorToken: 'mlo_a' })
    const seen: string[] = []
    await withToken.followOperation('op_1', { onChange: ({ status }) => seen.push(status) })
    expect(seen).toEqual(['running', 'completed'])
  })
})
