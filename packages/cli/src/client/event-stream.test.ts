import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { serverEvents } from './event-stream.ts'

async function read(...chunks: string[]): Promise<string[]> {
  const data: string[] = []
  const response = Readable.from(chunks, { objectMode: false }) as IncomingMessage
  for await (const event of serverEvents(response)) data.push(event.data)
  return data
}

test('events, whatever their line ends; comments and other fields say nothing', async () => {
  expect(await read(': hello\n\nevent: operation\ndata: {"a":1}\n\ndata:b\r\ndata: c\r\n\r\n')).toEqual([
    '{"a":1}',
    'b\nc',
  ])
})

test('wherever the chunks are cut', async () => {
  const stream = 'data: one 한\n\nid: 7\ndata: two\n\n'
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: stream.length }), async (cut) => {
      expect(await read(stream.slice(0, cut), stream.slice(cut))).toEqual(['one 한', 'two'])
    }),
  )
})

test('an event that was not finished is none', async () => {
  expect(await read('data: whole\n\ndata: cut')).toEqual(['whole'])
})

test('each under its name, or under none', async () => {
  const response = Readable.from([
    'event: delta\ndata: a\n\ndata: b\n\nevent: c\n\ndata: d\n\n',
  ]) as IncomingMessage
  const events: object[] = []
  for await (const event of serverEvents(response)) events.push(event)
  expect(events).toEqual([
    { name: 'delta', data: 'a' },
    { name: 'message', data: 'b' },
    { name: 'message', data: 'd' },
  ])
})

test('ids are heard before their events, also where there is nothing but an id', async () => {
  const response = Readable.from([
    'id: 1\n\nid: 2\ndata: a\n\ndata: b\n\nid: 3\ndata: cut',
  ]) as IncomingMessage
  const heard: string[] = []
  for await (const { data } of serverEvents(response, (id) => heard.push(id))) heard.push(data)
  expect(heard).toEqual(['1', '2', 'a', 'b'])
})
