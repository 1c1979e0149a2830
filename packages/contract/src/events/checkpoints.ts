import { z } from 'zod'
import { count, instant, sha256 } from './common.ts'

export const checkpointEvents = {
  LogCheckpointed: z.object({ size: count, root: sha256, note: z.string(), key: z.string(), at: instant }),
  SigningKeyReplaced: z.object({ former: z.string(), key: z.string(), note: z.string(), at: instant }),
}
