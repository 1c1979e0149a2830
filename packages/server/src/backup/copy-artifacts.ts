import { hash } from 'node:crypto'
import { recordedArtifacts, type ArtifactStore, type StoredItem } from '@medialog/application'
import type { LogReader } from '@medialog/event-store'
import type { Uuid } from '@medialog/kernel'
import type { OnProgress } from './progress.ts'

/** An artifact that the log names. */
export interface NamedArtifact {
  mediaId: Uuid
  accountId: Uuid
  ingestId: Uuid
  name: string
  sha256: string
  size: number
}

const AT_ONCE = 16

/**
 * Does `work` for every artifact of the items, several at a time. It says what is wrong with one, or null; answers all that
 * is wrong.
 */
export async function forEachArtifact<Wrong>(
  log: Pick<LogReader, 'eventAt'>,
  items: readonly StoredItem[],
  work: (artifact: NamedArtifact) => Promise<Wrong | null>,
  onProgress: OnProgress,
): Promise<Wrong[]> {
  const wrong: Wrong[] = []
  for (let done = 0; done < items.length; done += AT_ONCE) {
    onProgress({ ratio: done / items.length, message: `artifacts: item ${done} of ${items.length}` })
    const found = await Promise.all(
      items.slice(done, done + AT_ONCE).map(async (item) => {
        const named = await recordedArtifacts(log, item)
        const ofItem: Wrong[] = []
        for (const [name, digest] of Object.entries(named)) {
          const { accountId, mediaId, ingestId } = item
          const what = await work({ accountId, mediaId, ingestId, name, ...digest })
          if (what !== null) ofItem.push(what)
        }
        return ofItem
      }),
    )
    wrong.push(...found.flat())
  }
  return wrong
}

/** The artifact's bytes where they are those that the log names; else null. */
export async function readArtifact(
  store: Pick<ArtifactStore, 'get'>,
  { name, sha256, ...ingest }: NamedArtifact,
): Promise<Uint8Array | null> {
  const bytes = await store.get(ingest, name)
  return bytes && hash('sha256', bytes) === sha256 ? bytes : null
}
