import { randomInt } from 'node:crypto'
import { digestOf } from './authenticate.ts'

const KEY_ID_LETTERS = '0123456789abcdefghijklmnopqrstuvwxyz'
const SECRET_LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 40 letters of 62: 238 bits. */
const SECRET_LENGTH = 40

const letters = (alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')

/** A key as it is shown once; of its secret only the digest is kept. */
export const newApiKey = (): { keyId: string; apiKey: string; digest: string } =>
  newSecret(letters(KEY_ID_LETTERS, 8))

/** A new secret under a key id that is there already. */
export function newSecret(keyId: string): { keyId: string; apiKey: string; digest: string } {
  const secret = letters(SECRET_LETTERS, SECRET_LENGTH)
  return { keyId, apiKey: `mlk_${keyId}_${secret}`, digest: digestOf(secret) }
}
