import { expect, test } from 'vitest'
import { piecesOf } from './citations.ts'

test('takes the references out of an answer', () => {
  expect(piecesOf('“So it is.” [1] And [12][3].')).toEqual([
    '“So it is.” ',
    { source: 1 },
    ' And ',
    { source: 12 },
    { source: 3 },
    '.',
  ])
  expect(piecesOf('')).toEqual([])
  expect(piecesOf('[] [x] [1')).toEqual(['[] [x] [1'])
})
