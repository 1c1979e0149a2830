import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { eventData } from './event-stream.ts'

async function read(...chunks: string[]): Promise<string[]> {
  const data: string[] = []
  for await (const text of eventData(Readable.from(chunks, { objectMode: false }) as IncomingMessage))
    data.push(text)
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
