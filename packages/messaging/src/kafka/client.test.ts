import { EngineUnavailable } from '@medialog/application/ports'
import { expect, test } from 'vitest'
import { asEngine } from './client.ts'

test('a call that the client never ends counts as failed, and is aborted', async () => {
  const given = Promise.withResolvers<AbortSignal>()
  const endless = asEngine(20, (signal) => {
    given.resolve(signal)
    return new Promise(() => undefined)
  })
  await expect(endless).rejects.toThrow(new EngineUnavailable('kafka', 'Kafka: no answer within 0.02 s.'))
  expect((await given.promise).aborted).toBe(true)
})

test('what ends in time is not told anything', async () => {
  const signals: AbortSignal[] = []
  expect(await asEngine(60_000, async (signal) => signals.push(signal))).toBe(1)
  await expect(asEngine(60_000, () => Promise.reject(new Error('Broken.')))).rejects.toThrow('Kafka: Broken.')
  expect(signals.map(({ aborted }) => aborted)).toEqual([false])
})
