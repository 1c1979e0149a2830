import { expect, test } from 'vitest'
import { inputOf, queryOf } from './query.ts'

const inputAt = (address: string) => inputOf(queryOf(new URLSearchParams(address)))

test('a search by words alone asks for no more than it has to', () => {
  expect(inputAt('q=tides')).toEqual({ query: 'tides', collections: 'all', max_results: 20 })
})

test('days are whole days of this time zone, terms stand between commas', () => {
  const { filters } = inputAt(
    'q=a&from=2026-11-20&until=2026-11-20&topics=sea,%20 moon ,&people=Ada%20Lovelace',
  )
  expect(filters).toEqual({
    created_after: new Date('2026-11-20T00:00').toISOString(),
    created_before: new Date('2026-11-20T23:59:59.999').toISOString(),
    topics: ['sea', 'moon'],
    entities: { people: ['Ada Lovelace'] },
  })
})

test('what the address has beyond measure counts for nothing', () => {
  const address = 'q=a&type=book&from=soon&until=2026-99-01&words=7&least=-1&most=1000&people=%20,'
  expect(inputAt(address)).toEqual({ query: 'a', collections: 'all', max_results: 100 })
})
