import { expect } from 'vitest'

/** A moment after all that was done so far and before all that comes, ISO 8601. */
export async function moment(): Promise<string> {
  const at = Date.now() + 1
  await expect.poll(() => Date.now()).toBeGreaterThan(at)
  return new Date(at).toISOString()
}
