import type { JsonObject } from '@medialog/kernel'
import { z } from 'zod'
import { instant, uuid } from './common.ts'

const jsonObject = z.record(z.string(), z.json())

/** Any JSON object, checked and passed on as it is: a record rebuilds what it parses, and leaves `__proto__` out. */
const answer = z.unknown().refine((value) => jsonObject.safeParse(value).success, {
  error: 'not a JSON object',
}) as unknown as z.ZodType<JsonObject, JsonObject>

export const requestEvents = {
  RequestStarted: z.object({ accountId: uuid, requestId: uuid, fingerprint: z.string(), at: instant }),
  RequestCompleted: z.object({ accountId: uuid, requestId: uuid, answer, at: instant }),
  RequestAbandoned: z.object({ accountId: uuid, requestId: uuid, at: instant }),
  RequestErased: z.object({ accountId: uuid, at: instant }),
}
