import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomFillSync } from 'node:crypto'
import type { LogPosition, Uuid } from '@medialog/kernel'

const IV_BYTES = 12
const TAG_BYTES = 16
const TOKEN_BYTES = IV_BYTES + 8 + TAG_BYTES

export interface Positions {
  seal(accountId: Uuid, position: LogPosition): string
  /** Null for anything that was not sealed for this account. */
  open(accountId: Uuid, token: string): LogPosition | null
}

/**
 * Positions as callers see them: AES-256-GCM over the number, with the account as associated data. The same length and
 * other bytes each time, so that two of them tell nothing, not even whether anything was written in between.
 */
export function createPositions(secret: string | Uint8Array): Positions {
  if (Buffer.byteLength(secret) < 16) throw new RangeError('the position secret needs at least 16 bytes')
  const key = createSecretKey(new Uint8Array(hkdfSync('sha256', secret, '', 'medialog X-Position', 32)))
  const nextIv = pooledIvs()
  return {
    seal(accountId, position) {
      const token = Buffer.allocUnsafe(TOKEN_BYTES)
      const iv = nextIv()
      const number = Buffer.allocUnsafe(8)
      number.writeBigUInt64BE(BigInt(position))
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(accountId))
      token.set(iv)
      cipher.update(number).copy(token, IV_BYTES)
      cipher.final()
      cipher.getAuthTag().copy(token, IV_BYTES + 8)
      return token.toString('base64url')
    },

    open(accountId, text) {
      const token = Buffer.from(text, 'base64url')
      if (token.length !== TOKEN_BYTES || token.toString('base64url') !== text) return null
      const decipher = createDecipheriv('aes-256-gcm', key, token.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(Buffer.from(accountId))
        .setAuthTag(token.subarray(IV_BYTES + 8))
      try {
        const number = decipher.update(token.subarray(IV_BYTES, IV_BYTES + 8))
        decipher.final()
        return Number(number.readBigUInt64BE())
      } catch {
        return null
      }
    },
  }
}

/** Random bytes by the page: asking the system for twelve at a time costs more than the encryption. */
function pooledIvs(): () => Uint8Array {
  const pool = new Uint8Array(IV_BYTES * 512)
  let next = pool.length
  return () => {
    if (next === pool.length) {
      randomFillSync(pool)
      next = 0
    }
    next += IV_BYTES
    return pool.subarray(next - IV_BYTES, next)
  }
}
