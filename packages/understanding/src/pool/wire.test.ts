import { expect, test } from 'vitest'
import type { Reply } from './protocol.ts'
import { BadFrame, encodeReply, ReplyReader } from './wire.ts'

const extraction = { text: 'Wörter 語', title: null } as unknown as Extract<
  Reply,
  { kind: 'extracted' }
>['extraction']
const usage = { rss: 1, cpu: 0.5 }
const REPLIES: Reply[] = [
  { kind: 'ready' },
  { kind: 'unreadable', usage, reason: 'corrupted', message: 'The file is damaged.' },
  { kind: 'extracted', usage, extraction, passages: [[0, 8]] },
  {
    kind: 'extracted',
    usage,
    extraction,
    passages: [],
    thumbnails: [Buffer.from('one'), Buffer.from('')],
    picture: Buffer.from('picture'),
  },
  {
    kind: 'extracted',
    usage,
    extraction,
    passages: [],
    thumbnails: [Buffer.from('one')],
    picture: Buffer.from('picture'),
    spoken: { sound: Buffer.from('sound'), voice: [[0, 2]] },
  },
  { kind: 'extracted', usage, extraction, passages: [], spoken: { sound: Buffer.from('sound'), voice: [] } },
]

test.each([1, 7, 1_000])('replies come as they were sent, in pieces of %d bytes', (size) => {
  for (const reply of REPLIES) {
    const bytes = Buffer.concat(encodeReply(reply))
    const reader = new ReplyReader()
    const read: unknown[] = []
    for (let at = 0; at < bytes.length; at += size) read.push(...reader.read(bytes.subarray(at, at + size)))
    expect(read).toEqual([reply])
  }
})

test('several replies may come at once', () => {
  const bytes = Buffer.concat(REPLIES.slice(0, 3).flatMap((reply) => encodeReply(reply)))
  expect(new ReplyReader().read(bytes)).toEqual(REPLIES.slice(0, 3))
})

const frame = (head: unknown, parts = ''): Buffer => {
  const json = Buffer.from(typeof head === 'string' ? head : JSON.stringify(head))
  const lengths = Buffer.alloc(8)
  lengths.writeUInt32LE(json.length, 0)
  lengths.writeUInt32LE(parts.length, 4)
  return Buffer.concat([lengths, json, Buffer.from(parts)])
}

test.each([
  ['no JSON', frame('{')],
  ['no object', frame('null')],
  ['no lengths', frame({ reply: {} })],
  ['a negative length', frame({ parts: [-1], reply: {} })],
  ['lengths of other parts', frame({ parts: [2], reply: {} }, 'x')],
  ['parts that the head does not name', frame({ parts: [1, 1], reply: {} }, 'xy')],
  ['sound that did not come', frame({ parts: [1], reply: { spoken: {} } }, 'x')],
  ['thumbnails that did not come', frame({ parts: [1], reply: { thumbnails: [{}] } }, 'x')],
  ['many values', frame({ parts: [], reply: Array(400_000).fill(1) })],
])('%s is refused', (_, bytes) => {
  expect(() => new ReplyReader().read(bytes)).toThrow(BadFrame)
})

test('a frame is refused by its lengths, before its bytes come', () => {
  const lengths = Buffer.alloc(8)
  lengths.writeUInt32LE(2_000_000_000, 4)
  expect(() => new ReplyReader().read(lengths)).toThrow(BadFrame)
})
