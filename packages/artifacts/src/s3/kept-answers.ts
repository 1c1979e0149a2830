import type { KeptAnswerRef, KeptAnswers } from '@medialog/application/ports'
import { checkedId } from '../names.ts'
import { receiptOf } from '../receipt.ts'
import type { Bucket } from './bucket.ts'

const ANSWERS = 'answers/'
const HOUR_MS = 3_600_000
const KEY = /^answers\/(\d+)\//
/** So that keys are in order of time. */
const DIGITS = 8

/** Kept answers as objects `answers/<hours since the epoch>/<request>.sealed`. Several processes may share the bucket. */
export function openS3KeptAnswers(bucket: Bucket): KeptAnswers {
  return {
    put: async (answer, sealed) =>
      bucket.put(keyOf(answer), sealed as Uint8Array<ArrayBuffer>, receiptOf(sealed).sha256),
    get: async (answer) => bucket.get(keyOf(answer)),
    remove: (answer) => bucket.remove(keyOf(answer)),
    async sweep(before) {
      for await (const { key } of bucket.list(ANSWERS)) {
        const [, hour] = KEY.exec(key) ?? []
        if (hour === undefined) continue
        // What follows is younger still.
        if ((Number(hour) + 1) * HOUR_MS > before) return
        await bucket.remove(key)
      }
    },
  }
}

const keyOf = ({ requestId, at }: KeptAnswerRef): string =>
  `${ANSWERS}${String(Math.floor(at / HOUR_MS)).padStart(DIGITS, '0')}/${checkedId(requestId)}.sealed`
