import { createCipheriv, createDecipheriv, hkdfSync, randomFillSync } from 'node:crypto'
import { Recent, type LogPosition, type Uuid } from '@medialog/kernel'

const BLOCK = 16
const RANDOM = 6
/** How many accounts' ciphers are kept ready. */
const MOST_ACCOUNTS = 1_000
/** Blocks encrypted at a time: a position is sealed once for who catches up, and for each of those who follow. */
const BLOCKS_AT_ONCE = 8

/** Why one that was right once is refused. */
export const ABOUT_OLD_POSITIONS =
  'One that was given before the service replaced its key of positions may not be known any more'

export interface Positions {
  seal(accountId: Uuid, position: LogPosition): string
  /** Null for anything that was not sealed for this account. */
  open(accountId: Uuid, token: string): LogPosition | null
}

/** AES over single blocks: a pseudo-random permutation. */
interface Permutation {
  apply(blocks: Buffer): Buffer
  invert(block: Buffer): Buffer
}

/** One account's: blocks that hold `position`, of which those from `next` on were given to no client. */
interface Seals {
  permutation: Permutation
  position: LogPosition | null
  sealed: Buffer
  next: number
}

/**
 * Positions as callers see them: one AES-256 block under a key of the account's own that holds six random bytes and the
 * number in ten. The same length and other bytes each time, so that two of them tell nothing, not even whether anything
 * was written in between. A number needs less than seven of its ten bytes: what comes out of any other block than ours
 * is invalid, except for one in 10^8. Such a guess gains a caller nothing but a wait. The first secret seals; what the others
 * sealed before it opens too.
 */
export function createPositions(secrets: readonly (string | Uint8Array)[]): Positions {
  const [present, ...former] = secrets.map(sealedWith)
  return {
    seal: (accountId, position) => present!.seal(accountId, position),
    open(accountId, text) {
      for (const each of [present!, ...former]) {
        const position = each.open(accountId, text)
        if (position !== null) return position
      }
      return null
    },
  }
}

function sealedWith(secret: string | Uint8Array): Positions {
  if (Buffer.byteLength(secret) < 16) throw new RangeError('the position secret needs at least 16 bytes')
  const accounts = new Recent<Uuid, Seals>(MOST_ACCOUNTS)

  function sealsOf(accountId: Uuid): Seals {
    const known = accounts.get(accountId)
    if (known) return known
    const key = new Uint8Array(hkdfSync('sha256', secret, accountId, 'medialog X-Position', 32))
    const seals = { permutation: permute(key), position: null, sealed: Buffer.alloc(0), next: 0 }
    accounts.set(accountId, seals)
    return seals
  }

  return {
    seal(accountId, position) {
      const seals = sealsOf(accountId)
      if (seals.position !== position || seals.next === seals.sealed.length) {
        seals.sealed = seals.permutation.apply(blocksOf(position))
        seals.position = position
        seals.next = 0
      }
      const start = seals.next
      seals.next += BLOCK
      return seals.sealed.toString('base64url', start, seals.next)
    },

    open(accountId, text) {
      const token = Buffer.from(text, 'base64url')
      if (token.length !== BLOCK || token.toString('base64url') !== text) return null
      const block = sealsOf(accountId).permutation.invert(token)
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
  return { apply: (blocks) => cipher.update(blocks), invert: (block) => decipher.update(block) }
}

/** Each with random bytes of its own before the position. */
function blocksOf(position: LogPosition): Buffer {
  const blocks = randomFillSync(Buffer.alloc(BLOCK * BLOCKS_AT_ONCE))
  for (let start = 0; start < blocks.length; start += BLOCK) {
    blocks.writeUInt16BE(0, start + RANDOM)
    blocks.writeBigUInt64BE(BigInt(position), start + BLOCK - 8)
  }
  return blocks
}
