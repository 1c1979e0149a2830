import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import type { JsonObject } from '@medialog/kernel'

/** What a sealed answer is opened with: all that was asked and all that it was made from, in order. */
export type SealMaterial = readonly (string | Uint8Array)[]

const ALGORITHM = 'aes-256-gcm'
const KEY_BYTES = 32
const SALT_BYTES = 16
const TAG_BYTES = 16
/** Each key seals once: its salt is new. */
const NONCE = Buffer.alloc(12)

/** Seals an answer so that only a client with the same material can read it. AES-256-GCM under HKDF-SHA-256 of the material. */
export function seal(answer: JsonObject, material: SealMaterial): Uint8Array {
  const salt = randomBytes(SALT_BYTES)
  const cipher = createCipheriv(ALGORITHM, keyOf(material, salt), NONCE)
  const sealed = Buffer.concat([cipher.update(JSON.stringify(answer)), cipher.final()])
  return Buffer.concat([salt, cipher.getAuthTag(), sealed])
}

/** The answer, or null where this is not the material, or not what was sealed. */
export function unseal(sealed: Uint8Array, material: SealMaterial): JsonObject | null {
  const salt = sealed.subarray(0, SALT_BYTES)
  const tag = sealed.subarray(SALT_BYTES, SALT_BYTES + TAG_BYTES)
  if (tag.length < TAG_BYTES) return null
  const decipher = createDecipheriv(ALGORITHM, keyOf(material, salt), NONCE)
  decipher.setAuthTag(tag)
  try {
    const opened = [decipher.update(sealed.subarray(SALT_BYTES + TAG_BYTES)), decipher.final()]
    return JSON.parse(Buffer.concat(opened).toString()) as JsonObject
  } catch {
    return null
  }
}

function keyOf(material: SealMaterial, salt: Uint8Array): Buffer {
  const digest = createHash('sha256')
  // Lengths besides: two materials that only differ in where a part ends are not the same.
  for (const part of material) digest.update(`${Buffer.byteLength(part)} `).update(part)
  return Buffer.from(hkdfSync('sha256', digest.digest(), salt, 'medialog kept answer', KEY_BYTES))
}
