import { setImmediate as turn } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { EngineUnavailable, type Question } from '@medialog/application/ports'
import { LEXICON } from '@medialog/read-model'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createGate, type Gate } from '../testing/gate.ts'
import type { AnsweringEmbedder } from './embedder-port.ts'
import { AnsweringThreads } from './threads.ts'

let gate: Gate
let pool: AnsweringThreads

/** One direction for everything: all texts are alike in meaning. */
const embedder: AnsweringEmbedder = {
  cosineFloor: 0,
  embed: async (texts) => texts.map(() => Float32Array.of(1, 0)),
}
beforeEach(() => {
  gate = createGate()
  pool = new AnsweringThreads(embedder, gate.lexicon)
})
afterEach(async () => {
  await pool.close()
  gate[Symbol.dispose]()
})

const question = (changes: Partial<Question> = {}): Question => ({
  query: 'When did the bridge open?',
  context: null,
  instructions: null,
  passages: [{ text: 'The bridge opened in July 1940.', relevance: null }],
  temperature: 0.7,
  maxTokens: 1024,
  ...changes,
})
const quoted = expect.arrayContaining([{ type: 'text', text: '\n\n“The bridge opened in July 1940.” [1]' }])
const answer = (signal?: AbortSignal) => pool.run('answer', question(), { signal })
const refusal = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  )

test('the caller’s thread goes on while a text is worked on, whatever it takes', async () => {
  gate.shut()
  let answered = false
  const answering = answer().finally(() => (answered = true))
  for (let turns = 0; turns < 1_000; turns++) await turn()
  expect(answered).toBe(false)
  gate.open()
  expect(await answering).toEqual(quoted)
})

test('counts up to where it is told to', async () => {
  const texts = ['one two', 'three four five', 'six', 'seven']
  expect(await pool.run('count', { texts, most: Infinity })).toEqual([2, 3, 1, 1])
  expect(await pool.run('count', { texts, most: 5 })).toEqual([2, 3, 1])
  expect(await pool.run('count', { texts: ['word '.repeat(100_000)], most: 10 })).toEqual([11])
})

test('a thread that dies over a question says so, and the next is answered', async () => {
  gate.endHeld()
  expect(await refusal(answer())).toBeInstanceOf(EngineUnavailable)
  expect(await answer()).toEqual(quoted)
})

test('threads that cannot be started are no reason to wait for ever', async () => {
  const dying = (worker: Worker): void => void worker.terminate()
  process.on('worker', dying)
  try {
    expect(await refusal(answer())).toBeInstanceOf(EngineUnavailable)
  } finally {
    process.off('worker', dying)
  }
  expect(await answer()).toEqual(quoted)
})

test('an abort ends what runs with its reason, and frees the thread', async () => {
  gate.shut()
  const leaving = [new AbortController(), new AbortController(), new AbortController()]
  const left = leaving.map(({ signal }) => refusal(answer(signal)))
  const reason = new Error('gone')
  for (const controller of leaving) controller.abort(reason)
  expect(await Promise.all(left)).toEqual([reason, reason, reason])
  gate.open()
  expect(await answer()).toEqual(quoted)
  await expect(answer(AbortSignal.abort(reason))).rejects.toBe(reason)
})

test('a text that holds its thread for ever is given up, and the thread with it', async () => {
  await using impatient = Object.assign(new AnsweringThreads(embedder, gate.lexicon, 1_000), {
    [Symbol.asyncDispose]: () => impatient.close(),
  })
  gate.shut()
  const held = () => refusal(impatient.run('answer', question()))
  const refusals = await Promise.all([held(), held(), held()])
  for (const refused of refusals) expect(refused).toBeInstanceOf(EngineUnavailable)
  gate.open()
  // A slow machine may need more than the second that each question has.
  await vi.waitFor(async () => expect(await impatient.run('answer', question())).toEqual(quoted), {
    timeout: 50_000,
    interval: 5,
  })
})

test('so many wait, more are refused at once; who leaves makes room', async () => {
  gate.shut()
  const leaving = new AbortController()
  const waiting = Array.from({ length: 128 }, () => refusal(answer(leaving.signal)))
  expect(await refusal(answer())).toBeInstanceOf(EngineUnavailable)
  leaving.abort(new Error('gone'))
  await Promise.all(waiting)
  gate.open()
  expect(await answer()).toEqual(quoted)
})

test('an embedder that is away is told as it was, and embeddings of who left are dropped', async () => {
  const away = new EngineUnavailable('embedder', 'away')
  await using failing = Object.assign(
    new AnsweringThreads({ cosineFloor: 0, embed: () => Promise.reject(away) }, LEXICON),
    { [Symbol.asyncDispose]: () => failing.close() },
  )
  expect(await refusal(failing.run('answer', question()))).toBe(away)

  const asked = Promise.withResolvers<AbortSignal>()
  const slow = new AnsweringThreads(
    {
      cosineFloor: 0,
      embed: (_, options) => {
        asked.resolve(options!.signal!)
        return new Promise(() => undefined)
      },
    },
    LEXICON,
  )
  const leaving = new AbortController()
  const left = refusal(slow.run('answer', question(), { signal: leaving.signal }))
  const signal = await asked.promise
  leaving.abort(new Error('gone'))
  expect(signal.aborted).toBe(true)
  expect(await left).toBe(leaving.signal.reason)
  await slow.close()
})
