import { expect, test } from 'vitest'
import { newId } from '../core/ids.ts'
import { followEvents } from './follow-events.ts'

const followed: unknown[] = []
const ports = {
  eventStore: { head: async () => 40 },
  accountEvents: {
    follow(...asked: unknown[]) {
      followed.push(asked)
      return []
    },
  },
} as unknown as Parameters<typeof followEvents>[0]
const accountId = newId()
const context = { principal: { accountId } } as Parameters<typeof followEvents>[1]
const { signal } = new AbortController()

test('from a place on, or from where the log ends', async () => {
  const types = new Set(['MediaIngested'])
  expect((await followEvents(ports, context, { after: 40, types }, signal)).from).toBe(40)
  expect((await followEvents(ports, context, { after: null }, signal)).from).toBe(40)
  expect(followed).toEqual([
    [accountId, 40, { signal, types }],
    [accountId, 40, { signal }],
  ])
})

test('a place further than the log reaches is of another log, or of what a restored one has lost', async () => {
  await expect(followEvents(ports, context, { after: 41 }, signal)).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: { parameter: 'after' },
  })
})
