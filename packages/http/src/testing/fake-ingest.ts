import { UnreadableFile, UnsupportedFileType, type Application } from '@medialog/application'
import { usd, type MediaType } from '@medialog/kernel'
import type { FakeState } from './fake-state.ts'
import { catalogItem, itemVectors, NOW } from './fixtures.ts'

/** Formats by extension, with small limits so that tests pass them quickly. */
const LIMITS: {
  readonly [extension: string]: { mediaType: MediaType; maxBytes: number; maxAnalysisBytes?: number }
} = {
  txt: { mediaType: 'document', maxBytes: 100_000 },
  png: { mediaType: 'image', maxBytes: 50_000, maxAnalysisBytes: 60_000 },
  mp4: { mediaType: 'video', maxBytes: 100 * 1024 * 1024 },
}

/** `release`: of what is staged. */
export const fakeIngest = (
  { uploads }: Pick<FakeState, 'uploads'>,
  release: (id: string) => Promise<void>,
): Application['ingest'] => ({
  largestFile: Math.max(...Object.values(LIMITS).map(({ maxBytes }) => maxBytes)),
  identify(filename, head) {
    if (head.length === 0) throw new UnreadableFile('corrupted', 'The file is empty.')
    const name = filename.split('.').at(-1)!
    if (!Object.hasOwn(LIMITS, name)) throw new UnsupportedFileType(filename, 'No supported format.')
    return { name, ...LIMITS[name]!, mimeType: 'application/octet-stream', extensions: [name] }
  },
  receiveFile: async () => ({ add: () => {}, [Symbol.dispose]: () => {} }),
  async upload(context, command) {
    uploads.push({ context, command })
    await release(command.staged.id)
    const item = catalogItem(9, {
      filename: command.filename,
      sizeBytes: command.staged.size,
      sha256: command.staged.sha256,
      collection: command.collection ?? 'default',
      mediaType: LIMITS[command.filename.split('.').at(-1)!]!.mediaType,
    })
    return {
      requestId: context.requestId,
      replayed: command.idempotencyKey === 'again',
      item,
      vectors: itemVectors(),
      startedAt: NOW,
      completedAt: NOW + 40,
      jobId: context.requestId,
      previousBalance: usd('10'),
      cost: usd('0.04'),
      newBalance: usd('9.96'),
      position: 42,
    }
  },
})
