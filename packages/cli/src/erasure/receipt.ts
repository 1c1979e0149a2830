import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { openReceiptNote } from '@medialog/contract/receipt'
import { InvalidNote, noteSigner, parseVerifierKey, verifierKey } from '@medialog/contract/signed-note'
import type { Erasure } from '../client/answers.ts'
import { UsageError } from '../client/errors.ts'
import { clean } from '../terminal/text.ts'

export type Receipt = NonNullable<Erasure['receipt']>

/** A file as `delete --receipt` writes it. */
export type ReceiptFile = Partial<Erasure> & { note: string }

/** @throws UsageError */
export function receiptFileIn(text: string, file: string): ReceiptFile {
  const problem = (reason: string) =>
    new UsageError(`${clean(file)} ${reason}`, 'It is what `medialog delete --receipt FILE` writes.')
  let document: Partial<ReceiptFile> | null
  try {
    document = JSON.parse(text) as typeof document
  } catch {
    throw problem('is not JSON.')
  }
  if (typeof document?.note === 'string') return { ...document, note: document.note }
  throw problem(
    document?.status === 'pending' ? 'is of an erasure that is still pending.' : 'holds no receipt.',
  )
}

/** What the note says, once its signature is good and the file shows nothing else. @throws InvalidNote */
export function openReceipt({ note, ...shown }: ReceiptFile, keys: readonly string[]): Receipt {
  const opened = openReceiptNote(note, keys.map(parseVerifierKey))
  const receipt = opened.receipt as Receipt
  const { erasure_id, requested_at, ingests } = receipt
  const key = verifierKey(opened.key)
  const proven = { erasure_id, status: 'erased', requested_at, ingests, receipt, key }
  for (const [name, value] of Object.entries(shown))
    if (!isDeepStrictEqual(value, new Map(Object.entries(proven)).get(name)))
      throw new InvalidNote(`it was changed: what it shows as ${name} is not what was signed`)
  return receipt
}

/** The key that a data folder signs with, as its server would tell it; none where the folder has none. @throws InvalidNote */
export function keysOfFolder(folder: string, note: string): string[] {
  const path = join(folder, 'secrets', 'checkpoint-key.pem')
  const name = note.split('\n')[1]
  if (!existsSync(path) || !name) return []
  return [verifierKey({ name, publicKey: noteSigner(readFileSync(path, 'utf8')).publicKey })]
}
