import type { Client } from '@elastic/elasticsearch'
import { expect, test, vi } from 'vitest'
import { refreshingOf } from './refreshing.ts'

/** A client whose refreshes the test ends. */
function slow() {
  const begun: PromiseWithResolvers<void>[] = []
  const refresh = vi.fn<() => Promise<void>>(() => {
    const one = Promise.withResolvers<void>()
    begun.push(one)
    return one.promise
  })
  return { begun, refresh: refreshingOf({ indices: { refresh } } as unknown as Client, 'any') }
}

test('who calls while a refresh runs shares the next, which begins after it', async () => {
  const { begun, refresh } = slow()
  const first = refresh()
  const later = [refresh(), refresh()]
  expect(begun).toHaveLength(1)
  begun[0]!.resolve()
  await first
  await vi.waitFor(() => expect(begun).toHaveLength(2))
  // This one may have been written too late for the second.
  const last = refresh()
  begun[1]!.resolve()
  await Promise.all(later)
  await vi.waitFor(() => expect(begun).toHaveLength(3))
  begun[2]!.resolve()
  await last
})

test('a refresh that fails rejects for the callers that share it alone', async () => {
  const { begun, refresh } = slow()
  const first = refresh()
  const next = refresh()
  begun[0]!.reject(new Error('away'))
  await expect(first).rejects.toThrow('away')
  await vi.waitFor(() => expect(begun).toHaveLength(2))
  begun[1]!.resolve()
  await expect(next).resolves.toBeUndefined()
})
