import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { RECEIPT_HEADER } from '@medialog/contract/receipt'
import {
  InvalidNote,
  noteSigner,
  openNote,
  parseVerifierKey,
  verifierKey,
} from '@medialog/contract/signed-note'
import type { Erasure } from '../client/answers.ts'
import { UsageError } from '../client/errors.ts'
import { clean } from '../terminal/text.ts'

export type Receipt = NonNullable<Erasure['receipt']>

/** The note in what a deletion answered with, or its `erasure` alone. @throws UsageError */
export function noteIn(text: string, file: string): string {
  const problem = (reason: string) =>
    new UsageError(`${clean(file)} ${reason}`, 'It is what `medialog delete --receipt FILE` writes.')
  let document: { note?: unknown; status?: unknown }
  try {
    document = JSON.parse(text) as typeof document
  } catch {
    throw problem('is not JSON.')
  }
  if (typeof document?.note === 'string') return document.note
  throw problem(
    document?.status === 'pending' ? 'is of an erasure that is still pending.' : 'holds no receipt.',
  )
}

/** What the note says, once its signature is good. @throws InvalidNote */
export function openReceipt(note: string, keys: readonly string[]): Receipt {
  const [header, , receipt] = openNote(note, keys.map(parseVerifierKey)).text.split('\n')
  if (header !== RECEIPT_HEADER) throw new InvalidNote('it is signed, and no receipt of an erasure')
  return JSON.parse(receipt!) as Receipt
}

/** The key that a data folder signs with, as its server would tell it; none where the folder has none. @throws InvalidNote */
export function keysOfFolder(folder: string, note: string): string[] {
  const path = join(folder, 'secrets', 'checkpoint-key.pem')
  const name = note.split('\n')[1]
  if (!existsSync(path) || !name) return []
  return [verifierKey({ name, publicKey: noteSigner(readFileSync(path, 'utf8')).publicKey })]
}
