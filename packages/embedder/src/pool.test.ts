import { EngineUnavailable } from '@medialog/application/ports'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { MODEL_IN_THE_BOX } from './model.ts'
import { EmbeddingPool, type PoolOptions } from './pool.ts'

const options: PoolOptions = {
  model: MODEL_IN_THE_BOX,
  runtimes: ['onnxruntime-node'],
  workers: 1,
  idleMs: 50,
  script: new URL('./testing/mortal-worker.ts', import.meta.url),
}

describe('a worker that dies', () => {
  let pool: EmbeddingPool
  beforeEach(async () => {
    pool = new EmbeddingPool(options)
    await pool.start()
  })
  afterEach(() => pool.close())

  test('rejects its text alone and is replaced for those that wait', async () => {
    const answers = await Promise.allSettled(['ab', 'die', 'abc'].map((text) => pool.run(text, 'document')))
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(answers[1]).toMatchObject({ reason: expect.any(EngineUnavailable) })
    expect(answers[2]).toMatchObject({ value: Float32Array.of(3) })
    expect(pool.size).toBe(1)
  })

  test('is replaced at once, so that the next text finds a session', async () => {
    await expect(pool.run('die', 'query')).rejects.toMatchObject({ engine: 'embedder', retryAfterSeconds: 1 })
    await expect.poll(() => pool.size).toBe(1)
  })

  test('is not what a text that fails does', async () => {
    await expect(pool.run('fail', 'query')).rejects.toThrow('not this one')
    expect(await pool.run('abcd', 'query')).toEqual(Float32Array.of(4))
  })
})

test('a query waits for no document: a session of its own is opened for it, and closed without work', async () => {
  const pool = new EmbeddingPool(options)
  await pool.start()
  const busy = pool.run('endless', 'document').catch(() => 'ended')
  const waiting = pool.run('behind it', 'document').catch(() => 'ended')
  expect(pool.size).toBe(1)
  expect(await pool.run('abc', 'query')).toEqual(Float32Array.of(3))
  expect(pool.size).toBe(2)
  await expect.poll(() => pool.size, { timeout: 10_000 }).toBe(1)
  expect(await pool.run('abcd', 'query')).toEqual(Float32Array.of(4))
  await pool.close()
  expect(await Promise.all([busy, waiting])).toEqual(['ended', 'ended'])
})

test('a document that a client waits for does not wait for those of the background: a session is opened for it', async () => {
  const pool = new EmbeddingPool(options)
  await pool.start()
  const background = ['endless', 'behind it'].map((text) =>
    pool.run(text, 'document', { isBackground: true }).catch(() => 'ended'),
  )
  expect(await pool.run('abc', 'document')).toEqual(Float32Array.of(3))
  expect(pool.size).toBe(2)
  await expect.poll(() => pool.size, { timeout: 10_000 }).toBe(1)
  expect(await pool.run('abcd', 'document', { accountId: 'ann' })).toEqual(Float32Array.of(4))
  await pool.close()
  expect(await Promise.all(background)).toEqual(['ended', 'ended'])
})

test('a document that has waited for long gets another session, unless there are as many as may be', async () => {
  const pool = new EmbeddingPool({ ...options, workers: 2 })
  await pool.start()
  const endless = ['endless', 'endless'].map((text) => pool.run(text, 'document').catch(() => 'ended'))
  expect(pool.size).toBe(1)
  const waiting = pool.run('behind them', 'document').catch(() => 'ended')
  await expect.poll(() => pool.size, { timeout: 10_000 }).toBe(2)
  await delay(1_200)
  expect(pool.size).toBe(2)
  await pool.close()
  expect(await Promise.all([...endless, waiting])).toEqual(['ended', 'ended', 'ended'])
})

test('an additional session is closed while texts come that one session has time for', async () => {
  const pool = new EmbeddingPool({ ...options, workers: 2, idleMs: 200 })
  await pool.start()
  await Promise.all(Array.from({ length: 20 }, () => pool.run('slow', 'document')))
  expect(pool.size).toBe(2)
  // Two at a time, so that the additional session has work as well.
  const steady = async (): Promise<number> => {
    await Promise.all(['ab', 'abc'].map((text) => pool.run(text, 'document')))
    return pool.size
  }
  await expect.poll(steady, { timeout: 10_000, interval: 20 }).toBe(1)
  await pool.close()
})

test('a text that a client waits for is not behind those in the background of the same account', async () => {
  const pool = new EmbeddingPool(options)
  await pool.start()
  const done: string[] = []
  const embed = async (name: string, isBackground: boolean): Promise<void> => {
    await pool.run('words', 'document', { accountId: 'ann', isBackground })
    done.push(name)
  }
  await Promise.all([...Array.from({ length: 20 }, () => embed('batch', true)), embed('upload', false)])
  expect(done.indexOf('upload')).toBeLessThan(3)
  await pool.close()
})

test('an account’s text is not behind all those of another', async () => {
  const pool = new EmbeddingPool(options)
  await pool.start()
  const done: string[] = []
  const embed = async (accountId: string): Promise<void> => {
    await pool.run('words', 'document', { accountId })
    done.push(accountId)
  }
  await Promise.all([...Array.from({ length: 50 }, () => embed('ann')), embed('bob')])
  expect(done.indexOf('bob')).toBeLessThan(3)
  await pool.close()
})

test('an account’s document is not behind all queries of another', async () => {
  const pool = new EmbeddingPool(options)
  await pool.start()
  let asked = 0
  const ask = async (): Promise<void> => {
    while (asked++ < 500) await pool.run('words', 'query', { accountId: 'ann' })
  }
  const asking = Promise.all(Array.from({ length: 8 }, ask))
  await pool.run('words', 'document', { accountId: 'bob' })
  expect(asked).toBeLessThan(50)
  await asking
  await pool.close()
})

test('without a runtime the start is refused, and so is every text, once each', async () => {
  const pool = new EmbeddingPool({ ...options, runtimes: ['onnxruntime-web'] })
  await expect(pool.start()).rejects.toBeInstanceOf(EngineUnavailable)
  const answers = await Promise.allSettled(['a', 'b'].map((text) => pool.run(text, 'document')))
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(pool.size).toBe(0)
  await pool.close()
})
