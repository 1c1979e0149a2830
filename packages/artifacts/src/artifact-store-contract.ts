import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { ArtifactStore, IngestRef } from '@medialog/application/ports'
import { describe, expect, test } from 'vitest'

export interface ArtifactStoreUnderTest {
  store: ArtifactStore
  /** The store opened again on the same artifacts, as by another process or after a restart. */
  reopen: () => Promise<ArtifactStore>
  close: () => Promise<void>
}

const newIngest = (like: Partial<IngestRef> = {}): IngestRef => ({
  accountId: randomUUID(),
  mediaId: randomUUID(),
  ingestId: randomUUID(),
  ...like,
})
const bytesOf = (text: string) => Buffer.from(text)
const textOf = (bytes: Uint8Array | null) => (bytes === null ? null : Buffer.from(bytes).toString())

async function listed(store: ArtifactStore): Promise<string[]> {
  const found: string[] = []
  for await (const { accountId, mediaId, ingestId } of store.list())
    found.push(`${accountId}/${mediaId}/${ingestId}`)
  return found.sort()
}
const asListed = (...ingests: IngestRef[]) =>
  ingests.map(({ accountId, mediaId, ingestId }) => `${accountId}/${mediaId}/${ingestId}`).sort()

/** What every ArtifactStore must do. `factory` is called once a test, for an empty store. */
export function describeArtifactStoreContract(
  name: string,
  factory: () => Promise<ArtifactStoreUnderTest>,
): void {
  const on = (run: (artifacts: ArtifactStoreUnderTest) => Promise<void>) => async () => {
    const artifacts = await factory()
    try {
      await run(artifacts)
    } finally {
      await artifacts.close()
    }
  }

  describe(`artifact store: ${name}`, () => {
    test(
      'gives back the bytes that were put, after a restart too, and says their digest',
      on(async ({ store, reopen }) => {
        const ingest = newIngest()
        const bytes = randomBytes(1_000_000)
        const receipt = await store.put(ingest, 'vectors.bin', bytes)
        expect(receipt).toEqual({ sha256: createHash('sha256').update(bytes).digest('hex'), size: 1_000_000 })
        await store.put(ingest, 'text.txt', new Uint8Array())
        const again = await reopen()
        expect(Buffer.from((await again.get(ingest, 'vectors.bin'))!).equals(bytes)).toBe(true)
        expect(textOf(await again.get(ingest, 'text.txt'))).toBe('')
        expect((await again.names(ingest)).sort()).toEqual(['text.txt', 'vectors.bin'])
      }),
    )

    test(
      'has nothing where nothing was put',
      on(async ({ store }) => {
        const ingest = newIngest()
        expect(await store.get(ingest, 'text.txt')).toBeNull()
        await store.put(ingest, 'text.txt', bytesOf('a'))
        expect(await store.get(ingest, 'other.txt')).toBeNull()
        expect(await store.get(newIngest({ mediaId: ingest.mediaId }), 'text.txt')).toBeNull()
        await store.deleteIngest(newIngest())
      }),
    )

    test(
      'replaces what was put under the same name',
      on(async ({ store }) => {
        const ingest = newIngest()
        await store.put(ingest, 'text.txt', bytesOf('a longer first version'))
        await store.put(ingest, 'text.txt', bytesOf('second'))
        expect(textOf(await store.get(ingest, 'text.txt'))).toBe('second')
      }),
    )

    test(
      'shows readers one whole version or another, never a mixture',
      on(async ({ store }) => {
        const ingest = newIngest()
        const versions = Array.from({ length: 20 }, (_, version) => Buffer.alloc(200_000, version))
        await store.put(ingest, 'text.txt', versions[0]!)
        const reading = { on: true }
        const reader = (async () => {
          let reads = 0
          for (; reading.on; reads++) {
            const bytes = (await store.get(ingest, 'text.txt'))!
            expect(bytes.byteLength).toBe(200_000)
            expect(bytes.every((byte) => byte === bytes[0])).toBe(true)
          }
          return reads
        })()
        for (const version of versions) await store.put(ingest, 'text.txt', version)
        reading.on = false
        expect(await reader).toBeGreaterThan(0)
      }),
    )

    test(
      'deletes one ingest and no other, and lists what is left',
      on(async ({ store }) => {
        const old = newIngest()
        const newer = newIngest({ accountId: old.accountId, mediaId: old.mediaId })
        const other = newIngest({ accountId: old.accountId })
        for (const ingest of [old, newer, other])
          for (const artifact of ['text.txt', 'vectors.bin']) await store.put(ingest, artifact, bytesOf('x'))
        expect(await listed(store)).toEqual(asListed(old, newer, other))
        await store.deleteIngest(old)
        await store.deleteIngest(old)
        expect(await store.get(old, 'text.txt')).toBeNull()
        expect(textOf(await store.get(newer, 'text.txt'))).toBe('x')
        expect(await listed(store)).toEqual(asListed(newer, other))
        await store.deleteIngest(newer)
        await store.deleteIngest(other)
        expect(await listed(store)).toEqual([])
      }),
    )

    test(
      'stands putting and deleting at the same time',
      on(async ({ store }) => {
        const accountId = randomUUID()
        const mediaId = randomUUID()
        const churn = async () => {
          for (let round = 0; round < 15; round++) {
            const ingest = newIngest({ accountId, mediaId })
            await store.put(ingest, 'text.txt', bytesOf('x'))
            expect(textOf(await store.get(ingest, 'text.txt'))).toBe('x')
            await store.deleteIngest(ingest)
            expect(await store.get(ingest, 'text.txt')).toBeNull()
          }
        }
        await Promise.all(Array.from({ length: 8 }, churn))
        expect(await listed(store)).toEqual([])
        const contested = newIngest({ accountId, mediaId })
        await Promise.all(
          Array.from({ length: 30 }, (_, turn) =>
            turn % 2 === 0
              ? store.put(contested, `part-${turn}.txt`, bytesOf('x'))
              : store.deleteIngest(contested),
          ),
        )
        await store.deleteIngest(contested)
        expect(await listed(store)).toEqual([])
      }),
    )

    test(
      'adds beside what is there, and takes away what is not to be kept',
      on(async ({ store, reopen }) => {
        const ingest = newIngest()
        await store.put(ingest, 'text.txt', bytesOf('text'))
        await store.put(ingest, 'vectors.bin', bytesOf('old'))
        const receipt = await store.add(ingest, 'vectors-2.bin', bytesOf('new'))
        expect(receipt).toEqual({ sha256: createHash('sha256').update('new').digest('hex'), size: 3 })
        expect(textOf(await store.get(ingest, 'vectors.bin'))).toBe('old')
        await store.retain(ingest, ['text.txt', 'vectors-2.bin', 'never-there.bin'])
        const again = await reopen()
        expect(await again.get(ingest, 'vectors.bin')).toBeNull()
        expect(textOf(await again.get(ingest, 'vectors-2.bin'))).toBe('new')
        expect(textOf(await again.get(ingest, 'text.txt'))).toBe('text')
      }),
    )

    test(
      'adds nothing where there is nothing, or nothing any more',
      on(async ({ store }) => {
        const ingest = newIngest()
        expect(await store.add(ingest, 'vectors.bin', bytesOf('x'))).toBeNull()
        await store.retain(ingest, ['vectors.bin'])
        await store.put(ingest, 'text.txt', bytesOf('x'))
        await store.deleteIngest(ingest)
        expect(await store.add(ingest, 'vectors.bin', bytesOf('x'))).toBeNull()
        expect(await listed(store)).toEqual([])
      }),
    )

    test(
      'brings nothing back that is deleted while something is added to it',
      on(async ({ store }) => {
        for (let round = 0; round < 30; round++) {
          const ingest = newIngest()
          await store.put(ingest, 'text.txt', bytesOf('x'))
          await Promise.all([
            ...[1, 2, 3].map((part) => store.add(ingest, `vectors-${part}.bin`, bytesOf('x'))),
            store.deleteIngest(ingest),
          ])
        }
        expect(await listed(store)).toEqual([])
      }),
    )

    test(
      'says that it is there',
      on(async ({ store }) => {
        await expect(store.check()).resolves.toBeUndefined()
      }),
    )

    test(
      'refuses malformed ids and names, before it touches anything',
      on(async ({ store }) => {
        const ingest = newIngest()
        for (const bad of [
          '',
          '.',
          '..',
          '../x',
          'a/b',
          '/etc/passwd',
          'a\\b',
          'a\0b',
          '.hidden',
          'ü',
          'a'.repeat(300),
        ]) {
          await expect(store.put(ingest, bad, bytesOf('x'))).rejects.toThrow(RangeError)
          await expect(store.add(ingest, bad, bytesOf('x'))).rejects.toThrow(RangeError)
          await expect(store.get(ingest, bad)).rejects.toThrow(RangeError)
          for (const part of ['accountId', 'mediaId', 'ingestId']) {
            const tricked = { ...ingest, [part]: bad }
            await expect(store.put(tricked, 'text.txt', bytesOf('x'))).rejects.toThrow(RangeError)
            await expect(store.get(tricked, 'text.txt')).rejects.toThrow(RangeError)
            await expect(store.add(tricked, 'text.txt', bytesOf('x'))).rejects.toThrow(RangeError)
            await expect(store.retain(tricked, [])).rejects.toThrow(RangeError)
            await expect(store.deleteIngest(tricked)).rejects.toThrow(RangeError)
          }
        }
        expect(await listed(store)).toEqual([])
      }),
    )
  })
}
