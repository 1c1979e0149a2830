import { expect, test } from 'vitest'
import { nearest } from './nearest.ts'

const KNOWN = ['MEDIALOG_RATE_LIMITS', 'MEDIALOG_PRICES', 'PORT']

test.each([
  ['MEDIALOG_RATELIMITS', 'MEDIALOG_RATE_LIMITS'],
  ['medialog_price', 'MEDIALOG_PRICES'],
  ['MEDIALOG_PIRCES', 'MEDIALOG_PRICES'],
  ['MEDIALOG_COLOUR', null],
  ['POT', 'PORT'],
  ['TYPE', null],
  ['', null],
  ['RATE_LIMITS', 'MEDIALOG_RATE_LIMITS'],
  ['THE_PORT_OF_CALL', 'PORT'],
  ['PORTS_OF_CALL', null],
])('%j is nearest to %j', (word, known) => {
  expect(nearest(word, KNOWN)).toBe(known)
})
