import { createCipheriv, createDecipheriv, hkdfSync, randomFillSync } from 'node:crypto'
import { Recent, type LogPosition, type Uuid } from '@medialog/kernel'

const BLOCK = 16
const RANDOM = 6
/** How many accounts' ciphers are kept ready. */
const MOST_ACCOUNTS = 1_000

export interface Positions {
  seal(accountId: Uuid, position: LogPosition): string
  /** Null for anything that was not sealed for this account. */
  open(accountId: Uuid, token: string): LogPosition | null
}

/** AES over one block, a pseudo-random permutation. */
interface Permutation {
  apply(block: Buffer): Buffer
  invert(block: Buffer): Buffer
}

/**
 * Positions as callers see them: one AES-256 block under a key of the account's own that holds six random bytes and the
 * number in ten. The same length and other bytes each time, so that two of them tell nothing, not even whether anything
 * was written in between. A number needs less than seven of its ten bytes: what comes out of any other block than ours
 * is none, but for one in 10^8. Such a guess gains a caller nothing but a wait.
 */
export function createPositions(secret: string | Uint8Array): Positions {
  if (Buffer.byteLength(secret) < 16) throw new RangeError('the position secret needs at least 16 bytes')
  const permutations = new Recent<Uuid, Permutation>(MOST_ACCOUNTS)
  const nextRandom = pooledRandom()

  function permutationOf(accountId: Uuid): Permutation {
    const known = permutations.get(accountId)
    if (known) return known
    const key = new Uint8Array(hkdfSync('sha256', secret, accountId, 'medialog X-Position', 32))
    const permutation = permute(key)
    permutations.set(accountId, permutation)
    return permutation
  }

  return {
    seal(accountId, position) {
      const block = Buffer.alloc(BLOCK)
      block.set(nextRandom())
      block.writeBigUInt64BE(BigInt(position), BLOCK - 8)
      return permutationOf(accountId).apply(block).toString('base64url')
    },

    open(accountId, text) {
      const token = Buffer.from(text, 'base64url')
      if (token.length !== BLOCK || token.toString('base64url') !== text) return null
      const block = permutationOf(accountId).invert(token)
      const number = block.readBigUInt64BE(BLOCK - 8)
      const isOurs = block.readUInt16BE(RANDOM) === 0 && number <= Number.MAX_SAFE_INTEGER
      return isOurs ? Number(number) : null
    },
  }
}

/** Both ways stay open: setting a cipher up costs twenty times what a block does. Without chaining, blocks are independent. */
function permute(key: Uint8Array): Permutation {
  const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false)
  const decipher = createDecipheriv('aes-256-ecb', key, null).setAutoPadding(false)
  return { apply: (block) => cipher.update(block), invert: (block) => decipher.update(block) }
}

/** Random bytes by the page: asking the system for six at a time costs more than the encryption. */
function pooledRandom(): () => Uint8Array {
  const pool = new Uint8Array(RANDOM * 512)
  let next = pool.length
  return () => {
    if (next === pool.length) {
      randomFillSync(pool)
      next = 0
    }
    next += RANDOM
    return pool.subarray(next - RANDOM, next)
  }
}
