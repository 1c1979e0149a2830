import type { Format } from '@medialog/application/ports/understanding'
import { expect, test } from 'vitest'
import { readOutcome } from './replies.ts'

const format: Format = {
  name: 'txt',
  mediaType: 'document',
  mimeType: 'text/plain',
  extensions: ['txt'],
  maxBytes: 1,
}
const request = {
  format,
  filename: 'a.txt',
  size: 1,
  withPicture: false,
  withPreview: false,
  withSpeech: false,
}
const extraction = {
  format: 'txt',
  mediaType: 'document',
  text: 'two words',
  title: null,
  author: null,
  language: 'en',
  sections: [],
  tables: [],
  listings: [{ start: 0, end: 3 }],
  figureCount: 0,
  facts: { mediaType: 'document', pageCount: null, wordCount: 2 },
  truncated: false,
  warnings: [],
}
const reply = { kind: 'extracted', usage: { rss: 1, cpu: 0.5 }, extraction, passages: [[0, 9]] }

test('what a parser finds is taken as it is', () => {
  expect(readOutcome(reply, request)).toEqual(reply)
  const pictures = { thumbnails: [new Uint8Array(2)], picture: Buffer.from('x') }
  expect(readOutcome({ ...reply, ...pictures }, request)).toEqual({ ...reply, ...pictures })
  const spoken = {
    sound: new Uint8Array(20),
    voice: [
      [0, 4],
      [4, 10],
    ],
  }
  expect(readOutcome({ ...reply, spoken }, request)).toEqual({ ...reply, spoken })
})

test.each([
  ['another format', { extraction: { ...extraction, format: 'png' } }],
  ['facts of another kind', { extraction: { ...extraction, facts: { mediaType: 'model' } } }],
  ['a passage behind the text', { passages: [[0, 10]] }],
  ['a passage that runs back', { passages: [[5, 2]] }],
  ['a picture without bytes', { picture: { length: 1e12 } }],
  ['half a sample', { spoken: { sound: new Uint8Array(3), voice: [] } }],
  ['a stretch behind the sound', { spoken: { sound: new Uint8Array(4), voice: [[0, 3]] } }],
  [
    'stretches that overlap',
    {
      spoken: {
        sound: new Uint8Array(8),
        voice: [
          [0, 2],
          [1, 3],
        ],
      },
    },
  ],
  ['a stretch of nothing', { spoken: { sound: new Uint8Array(8), voice: [[2, 2]] } }],
  ['a title that is no text', { extraction: { ...extraction, title: { toString: 'x' } } }],
])('%s is no answer', (_, change) => {
  expect(readOutcome({ ...reply, ...change }, request)).toBeNull()
})
