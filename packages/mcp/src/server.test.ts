import { expect, test } from 'vitest'
import { createCallKeys } from './server.ts'

const MINUTE = 60_000

test('the same call has the same key for ten minutes, in every process', () => {
  const clock = { time: Date.UTC(2026, 10, 20, 10, 8), now: () => clock.time }
  const [keyOf, elsewhere] = [createCallKeys(clock), createCallKeys(clock)]
  const call = ['key', 'ask', { question: 'why' }, 7] as const
  const first = keyOf(...call)
  expect(elsewhere(...call)).toBe(first)
  clock.time += 9 * MINUTE
  expect(keyOf(...call)).toBe(first)
  clock.time += 2 * MINUTE
  expect(keyOf(...call)).not.toBe(first)
})

test('another caller, tool, argument or request is another call', () => {
  const keyOf = createCallKeys({ now: () => 0 })
  const keys = [
    ['key', 'ask', { question: 'why' }, 7],
    ['other', 'ask', { question: 'why' }, 7],
    ['key', 'similar', { question: 'why' }, 7],
    ['key', 'ask', { question: 'how' }, 7],
    ['key', 'ask', { question: 'why' }, 8],
  ].map((call) => keyOf(...call))
  expect(new Set(keys).size).toBe(5)
  for (const key of keys) expect(key).toMatch(/^[\x21-\x7e]{1,255}$/)
})
