import { createHash } from 'node:crypto'
import type { ArtifactStore, IngestRef } from '@medialog/application/ports'

/** The artifact store in memory, for tests. */
export function createMemoryArtifacts(): ArtifactStore & { files: Map<string, Uint8Array> } {
  const files = new Map<string, Uint8Array>()
  const folder = ({ accountId, mediaId, ingestId }: IngestRef): string =>
    `${accountId}/${mediaId}/${ingestId}/`
  const put: ArtifactStore['put'] = async (ingest, name, bytes) => {
    files.set(folder(ingest) + name, bytes)
    return { sha256: createHash('sha256').update(bytes).digest('hex'), size: bytes.byteLength }
  }
  const pathsOf = (ingest: IngestRef): string[] =>
    [...files.keys()].filter((path) => path.startsWith(folder(ingest)))
  return {
    files,
    put,
    add: async (ingest, name, bytes) => (pathsOf(ingest).length > 0 ? put(ingest, name, bytes) : null),
    async retain(ingest, names) {
      for (const path of pathsOf(ingest)) if (!names.includes(path.split('/').at(-1)!)) files.delete(path)
    },
    get: async (ingest, name) => files.get(folder(ingest) + name) ?? null,
    names: async (ingest) => pathsOf(ingest).map((path) => path.split('/').at(-1)!),
    async deleteIngest(ingest) {
      for (const path of pathsOf(ingest)) files.delete(path)
    },
    async *list() {
      for (const path of files.keys()) {
        const [accountId, mediaId, ingestId] = path.split('/') as [string, string, string]
        yield { accountId, mediaId, ingestId }
      }
    },
    remote: false,
    check: async () => {},
  }
}
