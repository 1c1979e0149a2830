import { expect, test } from 'vitest'
import { namesIn } from './names.ts'

const found = (...sentences: string[]): string =>
  Object.entries(namesIn(sentences, []))
    .flatMap(([kind, names]) => names.map((name) => `${kind}: ${name}`))
    .join('; ')

test.each([
  // By their own words.
  ['The Ministry of Transport and the Bank for International Settlements met.', 2, 'organizations'],
  ['A report by the Health and Safety Executive came out.', 1, 'organizations: Health and Safety Executive'],
  ['It was bought by Marshall and Sons.', 1, 'organizations: Marshall and Sons'],
  ['Walkers like Lake Como and the Isle of Lewis.', 2, 'locations: Lake Como; locations: Isle of Lewis'],
  ['We met Lotte de Vries there.', 1, 'people: Lotte de Vries'],
  // By what stands around them.
  ['The part is made by Kuehnhagen and costs little.', 1, 'organizations: Kuehnhagen'],
  ['She moved to the island of Orlanga as a child.', 1, 'locations: Orlanga'],
  ['Orlanga, who keeps bees, came late.', 1, 'people: Orlanga'],
  ['Farmer Kenji Hirota sold two fields.', 1, 'people: Kenji Hirota'],
  ['Verhagen, the carmaker, moves.', 1, 'organizations: Verhagen'],
  // By their neighbours in a list, which address and country are not.
  ['It is sold by Ikea, Orlanga and Brumm.', 3, 'organizations'],
  ['The firm sits in Bjerringbro, Denmark.', 2, 'locations: Bjerringbro; locations: Denmark'],
])('%s', (sentence, count, names) => {
  expect(found(sentence).split('; ')).toHaveLength(count)
  expect(found(sentence)).toContain(names)
})

test.each([
  'Analysts said that Results were good. Revenue grew in March.',
  'The PDF and the GeoJSON come from PostgreSQL, see README.md.',
  'He spoke English and German on Monday.',
  'Customer Services',
])('no name is made of: %s', (sentence) => {
  expect(found(sentence)).toBe('')
})

test('the same person by another form is one, a place in a name stays a place', () => {
  expect(found('Maria Schmidt came.', 'Schmidt said no.')).toBe('people: Maria Schmidt')
  expect(found('Kyoto University lies in Kyoto.')).toBe('organizations: Kyoto University; locations: Kyoto')
})

test('a heading names somebody only by words of its own', () => {
  expect(namesIn([], ['Elena Petrova', 'Getting Started With Maps'])).toEqual({
    people: ['Elena Petrova'],
    organizations: [],
    locations: [],
  })
})
