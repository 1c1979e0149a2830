import { z } from 'zod'

/** Nano-USD: a bigint inside, a string of digits in stored JSON. */
export const money = z.codec(
  z
    .string()
    .regex(/^-?\d+$/)
    .describe('Nano-USD.'),
  z.bigint(),
  {
    decode: (digits) => BigInt(digits),
    encode: (amount) => amount.toString(),
  },
)

export const uuid = z.guid()
export const instant = z.int().describe('Milliseconds since the epoch.')
/** Bytes, vectors, generations. */
export const count = z.int().nonnegative()
export const sha256 = z.string().regex(/^[0-9a-f]{64}$/)

/** What an amount was charged for, by price key. */
export const chargeLine = z.object({ price: z.string(), amount: money })
