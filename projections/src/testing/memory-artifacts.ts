import { createHash } from 'node:crypto'
import type { ArtifactStore, IngestRef } from '@medialog/application/ports'

/** The artifact store in memory, for tests. */
export function createMemoryArtifacts(): ArtifactStore & { files: Map<string, Uint8Array> } {
  const files = new Map<string, Uint8Array>()
  const folder = ({ accountId, mediaId, ingestId }: IngestRef): string =>
    `${accountId}/${mediaId}/${ingestId}/`
  return {
    files,
    async put(ingest, name, bytes) {
      files.set(folder(ingest) + name, bytes)
      return { sha256: createHash('sha256').update(bytes).digest('hex'), size: bytes.byteLength }
    },
    get: async (ingest, name) => files.get(folder(ingest) + name) ?? null,
    async deleteIngest(ingest) {
      for (const path of files.keys()) if (path.startsWith(folder(ingest))) files.delete(path)
    },
    async *list() {
      for (const path of files.keys()) {
        const [accountId, mediaId, ingestId] = path.split('/') as [string, string, string]
        yield { accountId, mediaId, ingestId }
      }
    },
  }
}
