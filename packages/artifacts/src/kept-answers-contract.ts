import { randomBytes, randomUUID } from 'node:crypto'
import type { KeptAnswerRef, KeptAnswers } from '@medialog/application/ports'
import { describe, expect, test } from 'vitest'

export interface KeptAnswersUnderTest {
  answers: KeptAnswers
  /** Opened again on the same files, as after a restart. */
  reopen: () => Promise<KeptAnswers>
  close: () => Promise<void>
}

const HOUR_MS = 3_600_000
const AT = Date.UTC(2026, 10, 20, 13, 5)
const kept = (at = AT): KeptAnswerRef => ({ requestId: randomUUID(), at })

/** What every KeptAnswers must do. `factory` is called once a test, for an empty one. */
export function describeKeptAnswersContract(
  name: string,
  factory: () => Promise<KeptAnswersUnderTest>,
): void {
  const on = (run: (kept: KeptAnswersUnderTest) => Promise<void>) => async () => {
    const subject = await factory()
    try {
      await run(subject)
    } finally {
      await subject.close()
    }
  }

  describe(`kept answers: ${name}`, () => {
    test(
      'gives back what was put, after a restart too, and nothing else',
      on(async ({ answers, reopen }) => {
        const [one, other] = [kept(), kept()]
        const bytes = randomBytes(50_000)
        await answers.put(one, bytes)
        await answers.put(one, bytes)
        for (const opened of [answers, await reopen()]) {
          expect(Buffer.from((await opened.get(one))!).equals(bytes)).toBe(true)
          expect(await opened.get(other)).toBeNull()
        }
        await answers.put(one, Buffer.from('replaced'))
        expect(String(Buffer.from((await answers.get(one))!))).toBe('replaced')
      }),
    )

    test(
      'removes what is too old, up to an hour late, and nothing younger',
      on(async ({ answers }) => {
        const all = [0, 1, 2, 3].map((hours) => kept(AT + hours * HOUR_MS))
        for (const answer of all) await answers.put(answer, Buffer.from('x'))
        const left = async () => {
          const found = await Promise.all(all.map((answer) => answers.get(answer)))
          return found.map((bytes) => bytes !== null)
        }
        await answers.sweep(AT)
        expect(await left()).toEqual([true, true, true, true])
        await answers.sweep(AT + 2 * HOUR_MS)
        expect(await left()).toEqual([false, expect.any(Boolean), true, true])
        await answers.sweep(AT + 5 * HOUR_MS)
        expect(await left()).toEqual([false, false, false, false])
        await answers.sweep(AT + 5 * HOUR_MS)
      }),
    )

    test(
      'removes one alone, and what is gone as well',
      on(async ({ answers, reopen }) => {
        const [one, beside, never] = [kept(), kept(), kept(AT - HOUR_MS)]
        for (const answer of [one, beside]) await answers.put(answer, Buffer.from('x'))
        for (const answer of [one, one, never]) await answers.remove(answer)
        for (const opened of [answers, await reopen()]) {
          expect(await opened.get(one)).toBeNull()
          expect(await opened.get(beside)).not.toBeNull()
        }
      }),
    )

    test(
      'takes only ids for ids',
      on(async ({ answers }) => {
        const outside = { requestId: '../../outside', at: AT }
        await expect(answers.put(outside, Buffer.from('x'))).rejects.toThrow(RangeError)
        await expect(answers.get(outside)).rejects.toThrow(RangeError)
        await expect((async () => answers.remove(outside))()).rejects.toThrow(RangeError)
      }),
    )
  })
}
