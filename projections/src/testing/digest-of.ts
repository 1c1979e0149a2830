import type { ReadModelWriter } from '@medialog/application/ports'

/** Of all that two builds of one log must agree on. */
export async function digestOf(writer: ReadModelWriter<never>): Promise<string> {
  const snapshot = await writer.snapshot()
  try {
    return [...(await snapshot.digests())].join()
  } finally {
    await snapshot.close()
  }
}
