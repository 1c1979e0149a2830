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

/** What the schema makes of settings. @throws InvalidConfiguration for the first that makes no sense */
export function parsed<Schema extends z.ZodType>(schema: Schema, settings: unknown): z.output<Schema> {
  const result = schema.safeParse(settings)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new InvalidConfiguration(`${issue!.path.join('.')} ${issue!.message}.`)
}
