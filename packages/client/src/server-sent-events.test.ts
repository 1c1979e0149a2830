import { expect, test } from 'vitest'
import { serverSentEvents, type ServerSentEvent } from './server-sent-events.ts'

const STREAM =
  ': hello\n\nid: 1\nevent: delta\ndata: {"text":"ä"}\n\nretry: 10\nid: 2\n\ndata: one\r\ndata:two\r\n\r\nid: 3\rdata: last\r\r\ndata: unfinished'

test.each([1, 2, 3, 7, 1000])('reads events however the bytes are cut (%i at a time)', async (size) => {
  const bytes = Buffer.from(STREAM)
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
  }
  const ids: string[] = []
  const read: ServerSentEvent[] = []
  for await (const event of serverSentEvents(pieces(), (id) => ids.push(id))) read.push(event)
  expect(read).toEqual([
    { name: 'delta', data: '{"text":"ä"}' },
    { name: 'message', data: 'one\ntwo' },
    { name: 'message', data: 'last' },
  ])
  expect(ids).toEqual(['1', '2', '3'])
})
