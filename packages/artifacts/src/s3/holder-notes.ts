import { UUID_PATTERN } from '@medialog/kernel'
import type { HolderNotes } from '../holders.ts'
import { receiptOf } from '../receipt.ts'
import type { Bucket } from './bucket.ts'

const HOLDERS = 'holders/'

/** Notes as objects `holders/<process>`. */
export const s3HolderNotes = (bucket: Bucket): HolderNotes => ({
  async write(holder, text) {
    const bytes = new TextEncoder().encode(text)
    await bucket.put(HOLDERS + holder, bytes, receiptOf(bytes).sha256)
  },
  async list() {
    const notes: { holder: string; writtenAt: number }[] = []
    for await (const { key, modifiedAt } of bucket.list(HOLDERS)) {
      const holder = key.slice(HOLDERS.length)
      if (UUID_PATTERN.test(holder)) notes.push({ holder, writtenAt: modifiedAt })
    }
    return notes
  },
  async read(holder) {
    const bytes = await bucket.get(HOLDERS + holder)
    return bytes && new TextDecoder().decode(bytes)
  },
  remove: (holder) => bucket.remove(HOLDERS + holder),
})
