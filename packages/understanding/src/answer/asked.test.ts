import { termsOf, words } from '@medialog/read-model/analysis/words'
import { describe, expect, test } from 'vitest'
import { askedFor, fit, type Expected } from './asked.ts'

const lexicon = { words, termsOf }
const asked = (query: string, context: string | null = null) => askedFor(query, context, lexicon)

describe('what is asked for', () => {
  test.each<[string, Expected | null]>([
    ['How many cloves of garlic go into it?', 'quantity'],
    ['When did it open?', 'time'],
    ['In which year was it built?', 'time'],
    ['Who made it?', 'person'],
    ['Where is it?', 'place'],
    ['Why does it fizz?', 'reason'],
    ['What is the bridge called?', 'name'],
    ['What is flutter?', null],
    ['한글은 누가 만들었나요?', null],
  ])('%s → %s', (query, expects) => {
    expect(asked(query).expects).toBe(expects)
  })

  test('the words that say which kind of thing need not be repeated by an answer', () => {
    expect(asked('How many cloves of garlic?').words.map(({ word }) => word)).toEqual(['cloves', 'garlic'])
    expect(asked('How long?').words.map(({ word }) => word)).toEqual(['long'])
  })

  test('a question that points back takes over words of the conversation, one that does not takes none', () => {
    const context = 'We spoke of the Tacoma bridge.'
    const carried = (query: string) =>
      asked(query, context)
        .words.filter((word) => word.carried)
        .map(({ word }) => word)
    expect(carried('How deep were its girders?')).toEqual(expect.arrayContaining(['Tacoma', 'bridge']))
    expect(carried('How deep were girders?')).toEqual([])
  })

  test.each(['What is this document about?', 'Summarise the text, please', 'Describe the picture.', '?'])(
    '%s asks for an overview',
    (query) => {
      expect(asked(query).overview).toBe(true)
    },
  )

  test('a question as long as a book has a bounded number of words', () => {
    const long = Array.from({ length: 10_000 }, (_, i) => `word${i}`).join(' ')
    expect(asked(long).words).toHaveLength(64)
  })
})

test.each<[Expected | null, string, number]>([
  ['quantity', 'It weighs two kilograms.', 1],
  ['quantity', 'It is heavy.', -1],
  ['time', 'It opened in July 1940.', 1],
  ['time', 'It opened after the storm.', 0.5],
  ['time', 'It opened.', -1],
  ['person', 'It was made by Ada Lovelace.', 1],
  ['person', 'It was made by hand.', -1],
  ['place', 'It stands in Seoul.', 1],
  ['place', 'It stands.', 0],
  ['reason', 'It fell because of the wind.', 1],
  [null, 'Anything.', 0],
])('%s fits “%s”: %d', (expects, sentence, degree) => {
  expect(fit(expects, sentence)).toBe(degree)
})
