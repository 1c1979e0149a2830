import { z } from 'zod'

/** A setting that makes no sense: its message is one line that says which and why. */
export class InvalidConfiguration extends Error {
  override name = 'InvalidConfiguration'
}

export const integer = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(least, `must be at least ${least}`).max(most, `must be at most ${most}`))

export const text = z.string().min(1, 'must not be empty')

/** Of one of the protocols, like the example. Never says what was given: a password may stand in it. */
export const address = (protocol: RegExp, example: string) =>
  z
    .string()
    .refine((value) => protocol.test(URL.parse(value)?.protocol ?? ''), `must be an address like ${example}`)

/** The same over HTTP, with nothing in it that belongs into the settings of that name. */
export const bareHttpAddress = (example: string, keys: string) =>
  address(/^https?:$/, example).refine((value) => {
    const url = URL.parse(value)
    return !url || (url.username === '' && url.password === '' && url.search === '' && url.hash === '')
  }, `must hold no user, password, query or fragment: ${keys}`)

/** Goes into a header as it is. */
export const headerKey = z.string().regex(/^[\x21-\x7e]+$/, 'must be visible ASCII characters without spaces')

export const switched = z
  .enum(['true', 'false', 'on', 'off'], { error: 'must be true or false' })
  .default('false')
  .transform((value) => value === 'true' || value === 'on')

/** `temporal.example:7233`, `[::1]:9092` */
export const HOST_AND_PORT = /^(?:[\w.-]+|\[[\da-f:]+\]):\d{1,5}$/i

/** What the schema makes of settings. @throws InvalidConfiguration for the first that makes no sense */
export function parsed<Schema extends z.ZodType>(schema: Schema, settings: unknown): z.output<Schema> {
  const result = schema.safeParse(settings)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new InvalidConfiguration(`${issue!.path.join('.')} ${issue!.message}.`)
}
