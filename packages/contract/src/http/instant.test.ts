import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseInstant } from './instant.ts'

describe('parseInstant', () => {
  it.each([
    ['2026-11-20', '2026-11-20T00:00:00.000Z'],
    ['2026-11-20T13:05', '2026-11-20T13:05:00.000Z'],
    ['2026-11-20T13:05:09.123456Z', '2026-11-20T13:05:09.123Z'],
    ['2026-11-20T13:05:09+02:00', '2026-11-20T11:05:09.000Z'],
    ['2026-11-20T13:05:09 02:00', '2026-11-20T11:05:09.000Z'],
    ['20261120T130509-0130', '2026-11-20T14:35:09.000Z'],
    ['2026-11-20T13:05:09+14', '2026-11-19T23:05:09.000Z'],
    ['2026-W47-5', '2026-11-20T00:00:00.000Z'],
    ['2026-324', '2026-11-20T00:00:00.000Z'],
  ])('reads %s', (text, expected) => {
    expect(new Date(parseInstant(text).milliseconds!).toISOString()).toBe(expected)
  })

  it.each([
    '',
    'yesterday',
    '2026-13-01',
    '2026-02-30',
    '2026-11-20T25:00',
    '1700000000000',
    '20/11/2026',
    '+010000-01-01',
    '-000001-01-01',
    '9999-12-31T23:59:59-01:00',
    '2026-11-20T13:05:09+25:00',
    '2026-11-20T13:05:09-0360',
  ])('says why %o is none', (text) => {
    const { milliseconds, problem } = parseInstant(text)
    expect(milliseconds).toBeNull()
    expect(problem).toMatch(/\w/)
  })

  it('reads what the service writes', () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31') }), (date) => {
        expect(parseInstant(date.toISOString()).milliseconds).toBe(date.getTime())
      }),
    )
  })
})
