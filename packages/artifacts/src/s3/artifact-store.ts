import type { ArtifactReceipt, ArtifactStore, IngestRef } from '@medialog/application/ports'
import { UUID_PATTERN } from '@medialog/kernel'
import { checkedName, pathOf } from '../names.ts'
import { receiptOf } from '../receipt.ts'
import type { Bucket, StoredObject } from './bucket.ts'

/** A put takes minutes at most: what was not marked by then was left by a crash. */
const LEFT_BEHIND_AFTER_MS = 3_600_000
const ARTIFACTS = 'artifacts/'
const MARKERS = 'ingests/'
const NOTHING = new Uint8Array()
const NOTHING_SHA256 = receiptOf(NOTHING).sha256

export interface S3ArtifactStore extends ArtifactStore {
  /** Removes what crashes left, also with other writers. Answers how many objects. */
  sweep(olderThanMs?: number): Promise<number>
}

/**
 * Artifacts as objects `artifacts/<account>/<media>/<ingest>/<name>`, and an empty object `ingests/<account>/<media>/<ingest>`
 * that says that the ingest is there. Several processes may share the bucket.
 *
 * Storage deletes objects one by one, so nothing is read without its ingest's marker: it is put after an ingest's first object, and
 * deleted before any of them. A deletion lists the objects when the marker is gone, an `add` looks for the marker when its
 * object is written: whichever comes last sees the other's, and removes the object. No condition is asked of the storage
 * but that it shows what was written before.
 */
export function openS3ArtifactStore(bucket: Bucket): S3ArtifactStore {
  return new ObjectsOfIngests(bucket)
}

class ObjectsOfIngests implements S3ArtifactStore {
  readonly remote = true
  #bucket: Bucket

  constructor(bucket: Bucket) {
    this.#bucket = bucket
  }

  async put(ingest: IngestRef, name: string, bytes: Uint8Array): Promise<ArtifactReceipt> {
    const key = keyOf(ingest, name)
    const receipt = await this.#write(key, bytes)
    await this.#bucket.put(markerOf(ingest), NOTHING, NOTHING_SHA256)
    return receipt
  }

  async add(ingest: IngestRef, name: string, bytes: Uint8Array): Promise<ArtifactReceipt | null> {
    const key = keyOf(ingest, name)
    if (!(await this.#isThere(ingest))) return null
    const receipt = await this.#write(key, bytes)
    if (await this.#isThere(ingest)) return receipt
    await this.#bucket.remove(key)
    return null
  }

  async get(ingest: IngestRef, name: string): Promise<Uint8Array | null> {
    const key = keyOf(ingest, name)
    const [isThere, bytes] = await Promise.all([this.#isThere(ingest), this.#bucket.get(key)])
    return isThere ? bytes : null
  }

  async names(ingest: IngestRef): Promise<string[]> {
    const names = await this.#namesOf(ingest)
    // Nothing is listed of a new ingest: then nothing else has to be asked.
    return names.length > 0 && (await this.#isThere(ingest)) ? names : []
  }

  async retain(ingest: IngestRef, names: readonly string[]): Promise<void> {
    const kept = new Set(names)
    await this.#removeAll(ingest, (name) => !kept.has(name))
  }

  async deleteIngest(ingest: IngestRef): Promise<void> {
    await this.#bucket.remove(markerOf(ingest))
    await this.#removeAll(ingest, () => true)
  }

  async *list(): AsyncGenerator<IngestRef> {
    for await (const { key } of this.#bucket.list(MARKERS)) {
      const ingest = ingestOf(key.slice(MARKERS.length))
      if (ingest) yield ingest
    }
  }

  check(): Promise<void> {
    return this.#bucket.check()
  }

  async sweep(olderThanMs = LEFT_BEHIND_AFTER_MS): Promise<number> {
    const until = Date.now() - olderThanMs
    let swept = 0
    for await (const { ingest, objects } of this.#unmarked()) {
      const old = objects.filter(({ modifiedAt }) => modifiedAt <= until)
      // Listings are pages of different moments: asked once more before anything goes.
      if (old.length === 0 || (await this.#isThere(ingest))) continue
      for (const { key } of old) await this.#bucket.remove(key)
      swept += old.length
    }
    return swept
  }

  /** Both listings are in order of the same paths, so they are followed side by side. */
  async *#unmarked(): AsyncGenerator<{ ingest: IngestRef; objects: StoredObject[] }> {
    const markers = this.#bucket.list(MARKERS)[Symbol.asyncIterator]()
    let marker = await markers.next()
    for await (const { path, objects } of byIngest(this.#bucket.list(ARTIFACTS))) {
      while (!marker.done && marker.value.key < MARKERS + path) marker = await markers.next()
      const ingest = ingestOf(path)
      if (ingest && (marker.done || marker.value.key !== MARKERS + path)) yield { ingest, objects }
    }
  }

  async #write(key: string, bytes: Uint8Array): Promise<ArtifactReceipt> {
    const receipt = receiptOf(bytes)
    await this.#bucket.put(key, bytes as Uint8Array<ArrayBuffer>, receipt.sha256)
    return receipt
  }

  async #isThere(ingest: IngestRef): Promise<boolean> {
    return (await this.#bucket.size(markerOf(ingest))) !== null
  }

  async #namesOf(ingest: IngestRef): Promise<string[]> {
    const folder = `${ARTIFACTS}${pathOf(ingest)}/`
    const names: string[] = []
    for await (const { key } of this.#bucket.list(folder)) names.push(key.slice(folder.length))
    return names
  }

  async #removeAll(ingest: IngestRef, isToGo: (name: string) => boolean): Promise<void> {
    const names = (await this.#namesOf(ingest)).filter(isToGo)
    await Promise.all(names.map((name) => this.#bucket.remove(keyOf(ingest, name))))
  }
}

const keyOf = (ingest: IngestRef, name: string): string =>
  `${ARTIFACTS}${pathOf(ingest)}/${checkedName(name)}`

const markerOf = (ingest: IngestRef): string => MARKERS + pathOf(ingest)

/** Null where the path is not one of ours. */
function ingestOf(path: string): IngestRef | null {
  const parts = path.split('/')
  if (parts.length !== 3 || !parts.every((part) => UUID_PATTERN.test(part))) return null
  const [accountId, mediaId, ingestId] = parts as [string, string, string]
  return { accountId, mediaId, ingestId }
}

async function* byIngest(
  listed: AsyncIterable<StoredObject>,
): AsyncGenerator<{ path: string; objects: StoredObject[] }> {
  let group: { path: string; objects: StoredObject[] } | null = null
  for await (const object of listed) {
    const path = object.key.slice(ARTIFACTS.length, object.key.lastIndexOf('/'))
    if (group && group.path !== path) {
      yield group
      group = null
    }
    group ??= { path, objects: [] }
    group.objects.push(object)
  }
  if (group) yield group
}
