import type { ReadModelWriter } from '@medialog/application/ports'

/** Of everything that two builds of one history must agree on. */
export async function digestOf(writer: ReadModelWriter<never>): Promise<string> {
  const snapshot = await writer.snapshot()
  try {
    return await snapshot.digest()
  } finally {
    await snapshot.close()
  }
}
