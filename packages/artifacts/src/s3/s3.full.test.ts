import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeWithEngine } from '@medialog/test/engines'
import { describe, expect, onTestFinished, test } from 'vitest'
import { describeArtifactStoreContract } from '../artifact-store-contract.ts'
import { describeKeptAnswersContract } from '../kept-answers-contract.ts'
import { describeStagingContract } from '../staging-contract.ts'
import { keysOf, newBucket } from '../testing/new-bucket.ts'
import { openS3ArtifactStore } from './artifact-store.ts'
import { openBucket, UnusableBucket } from './bucket.ts'
import { openS3KeptAnswers } from './kept-answers.ts'
import { s3HolderNotes } from './holder-notes.ts'
import { openS3Staging, type S3StagingOptions } from './staging.ts'

const temporaryFolder = () => mkdtemp(join(tmpdir(), 'medialog-s3-'))

describeWithEngine('s3', 'S3', (url) => {
  const open = async () => openBucket((await newBucket(url)).settings)
  const newIngest = () => ({ accountId: randomUUID(), mediaId: randomUUID(), ingestId: randomUUID() })
  const bytes = Buffer.from('text')

  describeArtifactStoreContract('S3', async () => {
    const bucket = await open()
    const store = openS3ArtifactStore(bucket)
    return { store, reopen: async () => openS3ArtifactStore(bucket), close: async () => {} }
  })

  describeKeptAnswersContract('S3', async () => {
    const bucket = await open()
    const answers = openS3KeptAnswers(bucket)
    return { answers, reopen: async () => openS3KeptAnswers(bucket), close: async () => {} }
  })

  describeStagingContract('S3', async () => {
    const bucket = await open()
    const folders = [await temporaryFolder(), await temporaryFolder()] as const
    const [here, elsewhere] = await Promise.all(
      folders.map((folder) => openS3Staging(bucket, { folder, shared: false })),
    )
    return {
      staging: here!,
      // Another machine: nothing but the bucket is the same.
      reopen: async () => elsewhere!,
      files: async () => {
        const objects = (await keysOf(bucket, 'staging/')).map((key) => key.slice('staging/'.length))
        return new Set([...(await readdir(folders[0])), ...objects]).size
      },
      close: async () => {
        for (const staging of [here!, elsewhere!]) await staging.close()
        for (const folder of folders) await rm(folder, { recursive: true, force: true })
      },
    }
  })

  describe('files staged in a bucket by several processes', () => {
    const once = async function* (text: string) {
      yield Buffer.from(text)
    }
    const opened = async (options: Pick<S3StagingOptions, 'shared' | 'holderTimes' | 'lookAtCopiesMs'>) => {
      const bucket = await open()
      const folders = [await temporaryFolder(), await temporaryFolder()] as const
      const both = await Promise.all(folders.map((folder) => openS3Staging(bucket, { folder, ...options })))
      onTestFinished(async () => {
        for (const staging of both) await staging.close()
        for (const folder of folders) await rm(folder, { recursive: true, force: true })
      })
      return { bucket, folders, here: both[0]!, elsewhere: both[1]! }
    }

    test('a working copy goes once another process released the file', async () => {
      const { folders, here, elsewhere } = await opened({ shared: false, lookAtCopiesMs: 20 })
      const kept = await here.stage(once('kept'), () => Infinity)
      const released = await here.stage(once('released'), () => Infinity)
      for (const { id } of [kept, released]) await elsewhere.reopen(id)
      await elsewhere.release(released.id)
      await expect.poll(() => readdir(folders[0]), { timeout: 30_000 }).toEqual([kept.id])
      expect(await readdir(folders[1])).toEqual([kept.id])
    })

    test('a sweep leaves alone what is young, from every process', async () => {
      const { bucket, here, elsewhere } = await opened({ shared: true })
      const { id } = await here.stage(once('young'), () => Infinity)
      expect(await elsewhere.sweep(async () => new Set())).toBe(0)
      expect(await keysOf(bucket, 'staging/')).toEqual([`staging/${id}`])
      expect((await elsewhere.reopen(id)).size).toBe(5)
    })

    test('what a process that is dead had staged goes, unless it is needed', async () => {
      // A process that was silent for that second is dead.
      const holderTimes = { noteEveryMs: 3_600_000, deadAfterMs: 0 }
      const { bucket, here, elsewhere } = await opened({ shared: true, holderTimes })
      const [needed, left] = [
        await here.stage(once('one'), () => Infinity),
        await here.stage(once('two'), () => Infinity),
      ]
      const sweep = () => elsewhere.sweep(async () => new Set([needed.id]))
      await expect.poll(sweep, { timeout: 30_000, interval: 500 }).toBe(1)
      expect(await keysOf(bucket, 'staging/')).toEqual([`staging/${needed.id}`])
      await expect(elsewhere.reopen(left.id)).rejects.toThrow(left.id)
    })

    test('processes say what they hold, by the storage’s clock', async () => {
      const notes = s3HolderNotes(await open())
      const [one, other] = [randomUUID(), randomUUID()]
      expect(await notes.read(one)).toBeNull()
      await notes.write(one, 'a')
      await notes.write(one, 'a\nb')
      await notes.write(other, '')
      expect((await notes.list()).map(({ holder }) => holder).sort()).toEqual([one, other].sort())
      for (const { writtenAt } of await notes.list()) expect(writtenAt).toBeGreaterThan(Date.UTC(2020))
      expect([await notes.read(one), await notes.read(other)]).toEqual(['a\nb', ''])
      await notes.remove(one)
      await notes.remove(one)
      expect((await notes.list()).map(({ holder }) => holder)).toEqual([other])
    })
  })

  describe('artifacts in a bucket', () => {
    test('nothing is left of what was deleted', async () => {
      const bucket = await open()
      const store = openS3ArtifactStore(bucket)
      const ingest = newIngest()
      for (const name of ['text.txt', 'vectors.bin']) await store.put(ingest, name, bytes)
      expect(await keysOf(bucket)).toHaveLength(3)
      await store.deleteIngest(ingest)
      expect(await keysOf(bucket)).toEqual([])
    })

    test('what a crash left of a deletion or a put is not read, and swept once it is old', async () => {
      const bucket = await open()
      const store = openS3ArtifactStore(bucket)
      const ingests = Array.from({ length: 7 }, newIngest)
      for (const ingest of ingests)
        for (const name of ['text.txt', 'vectors.bin']) await store.put(ingest, name, bytes)
      const pathOf = (at: number) => Object.values(ingests[at]!).join('/')
      for (const at of [1, 4, 6]) await bucket.remove(`ingests/${pathOf(at)}`)
      expect(await store.get(ingests[1]!, 'text.txt')).toBeNull()
      expect(await store.add(ingests[1]!, 'more.txt', bytes)).toBeNull()
      expect(await store.sweep()).toBe(0)
      expect(await store.sweep(0)).toBe(6)
      const left = await keysOf(bucket, 'artifacts/')
      const expected = [0, 2, 3, 5].flatMap((at) =>
        ['text.txt', 'vectors.bin'].map((name) => `artifacts/${pathOf(at)}/${name}`),
      )
      expect(left.sort()).toEqual(expected.sort())
    })

    test('lists more than one page', async () => {
      const bucket = await open()
      const ingests = Array.from({ length: 1_100 }, newIngest)
      const markers = ingests.map((ingest) => `ingests/${Object.values(ingest).join('/')}`)
      const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
      for (let at = 0; at < markers.length; at += 20)
        await Promise.all(markers.slice(at, at + 20).map((key) => bucket.put(key, new Uint8Array(), empty)))
      const listed: string[] = []
      for await (const ingest of openS3ArtifactStore(bucket).list())
        listed.push(`ingests/${Object.values(ingest).join('/')}`)
      expect(listed).toEqual(markers.sort())
    })
  })

  describe('staged files in a bucket', () => {
    test('one of several pieces is taken up on another machine, once for all who ask', async () => {
      const bucket = await open()
      const folders = [await temporaryFolder(), await temporaryFolder()] as const
      const [here, there] = [
        await openS3Staging(bucket, { folder: folders[0], shared: false }),
        await openS3Staging(bucket, { folder: folders[1], shared: false }),
      ]
      const source = (async function* () {
        for (let chunk = 0; chunk < 20; chunk++) yield Buffer.alloc(1_000_000, chunk)
      })()
      const { id, size } = await here.stage(source, () => Infinity)
      const reopened = await Promise.all([there.reopen(id), there.reopen(id)])
      expect(reopened.map((file) => file.size)).toEqual([size, size])
      expect(await readdir(folders[1])).toEqual([id])
      await there.release(id)
      // The copy of the first machine is not the file.
      await expect(here.reopen(id)).rejects.toThrow(`no staged file ${id}`)
      expect(await readdir(folders[0])).toEqual([])
      for (const folder of folders) await rm(folder, { recursive: true, force: true })
    })
  })

  describe('a bucket that cannot be used', () => {
    test('one that is not there', async () => {
      const { settings } = await newBucket(url)
      const opened = openBucket({ ...settings, bucket: `${settings.bucket}-not` })
      await expect(opened).rejects.toThrow(UnusableBucket)
    })

    test('one that keeps versions', async () => {
      const { settings, client } = await newBucket(url)
      await client.setBucketVersioning('Enabled')
      await expect(openBucket(settings)).rejects.toThrow('versions')
    })
  })
})
