import { InvalidNote, openNote, type NoteKey } from './signed-note.ts'

/** What the text of a signed note begins with that is a receipt of an erasure; the log's name follows, then its JSON. */
export const RECEIPT_HEADER = 'medialog erasure receipt 1'

/** What a signed note says of an erasure, and the key that signed it. @throws InvalidNote */
export function openReceiptNote(note: string, keys: readonly NoteKey[]): { receipt: unknown; key: NoteKey } {
  const { text, key } = openNote(note, keys)
  const [header, , receipt] = text.split('\n')
  if (header !== RECEIPT_HEADER) throw new InvalidNote('it is signed, and no receipt of an erasure')
  return { receipt: JSON.parse(receipt!), key }
}
