import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { EngineUnavailable } from '@medialog/application/ports'
import { S3ServiceError, S3mini } from 's3mini'

export interface BucketSettings {
  /** Of the service, without the bucket: `https://s3.eu-central-1.amazonaws.com`. */
  url: string
  bucket: string
  region: string
  accessKeyId: string
  secretAccessKey: string
}

/** A bucket that cannot be worked with as it is; the message is one line that says why, and what to do. */
export class UnusableBucket extends Error {
  override name = 'UnusableBucket'

  constructor(bucket: string, why: string) {
    super(`the bucket ${bucket} cannot be used: ${why}`)
  }
}

export interface StoredObject {
  key: string
  /** By the clock of the storage, in milliseconds since the epoch. */
  modifiedAt: number
}

/**
 * Objects by their keys. Each operation is bounded in time and tried again while the storage stumbles.
 * @throws EngineUnavailable where it is unavailable, or refuses
 */
export interface Bucket {
  /** Whole or not at all. `sha256` in hex: the storage refuses bytes that were damaged on the way. */
  put(key: string, body: Uint8Array<ArrayBuffer> | Blob, sha256: string): Promise<void>
  /** Null without one. */
  get(key: string): Promise<Uint8Array | null>
  /** Its bytes, or null. */
  size(key: string): Promise<number | null>
  /** An object of that many bytes, a piece at a time. @throws Error where it is gone */
  read(key: string, size: number): AsyncIterable<Uint8Array>
  /** Nothing happens where it is gone already. */
  remove(key: string): Promise<void>
  /** All whose keys begin so, in order of the keys. */
  list(prefix: string): AsyncIterable<StoredObject>
  /** One answer of the storage within a few seconds. */
  check(): Promise<void>
}

const ENGINE = 'object storage'
/** How long a request may take, and how much longer for each MiB that it sends. */
const REQUEST_MS = 10_000
const MIB_MS = 1_000
/** Of an object whose size is not known before. */
const DOWNLOAD_MS = 60_000
const CHECK_MS = 3_000
/** Beyond that a failure is not tried again. */
const RETRY_WITHIN_MS = 10_000
const FIRST_PAUSE_MS = 100
const ATTEMPTS = 4
const PAGE = 1_000
const PIECE_BYTES = 8 * 1_048_576
const BYTES = 'application/octet-stream'

/**
 * A bucket of S3-compatible storage whose reads and listings show what was written before them.
 * @throws UnusableBucket for a missing one, or one that keeps what is deleted; EngineUnavailable
 */
export async function openBucket(settings: BucketSettings): Promise<Bucket> {
  const bucket = bucketOf(settings)
  await requireUsable(settings)
  return bucket
}

/** The same, of which another thread or process has made sure. A request may take `requestMs`, and longer for what it sends. */
export function bucketOf(settings: BucketSettings, requestMs = REQUEST_MS): Bucket {
  const storage = clientOf(settings, requestMs)
  const downloads = clientOf(settings, DOWNLOAD_MS)
  const checks = clientOf(settings, CHECK_MS)
  return {
    put: async (key, body, sha256) => {
      // The library sends any header; its type knows those of S3 alone.
      const checksum = { 'x-amz-checksum-sha256': Buffer.from(sha256, 'hex').toString('base64') }
      await persistently(() => storage.putObject(key, body, BYTES, undefined, checksum))
    },
    get: async (key) => {
      const bytes = await persistently(() => downloads.getObjectArrayBuffer(key))
      return bytes && new Uint8Array(bytes)
    },
    size: (key) =>
      persistently(() => storage.getContentLength(key).catch((error: Error) => absent(error.cause ?? error))),
    async *read(key, size) {
      for (let at = 0; at < size; at += PIECE_BYTES) {
        const end = Math.min(at + PIECE_BYTES, size)
        const piece = await persistently(async () => {
          const response = await storage.getObjectRaw(key, false, at, end).catch(absent)
          return response && new Uint8Array(await response.arrayBuffer())
        })
        if (piece?.byteLength !== end - at) throw new Error(`the object ${key} is gone or cut off`)
        yield piece
      }
    },
    remove: async (key) => {
      await persistently(() => storage.deleteObject(key).catch(absent))
    },
    async *list(prefix) {
      let token: string | undefined
      do {
        const page = await persistently(() => storage.listObjectsPaged('/', prefix, PAGE, token))
        if (!page?.objects) throw new EngineUnavailable(ENGINE, `${ENGINE}: the bucket is gone`)
        for (const { Key, LastModified } of page.objects)
          yield { key: Key, modifiedAt: LastModified.getTime() }
        token = page.nextContinuationToken
      } while (token !== undefined)
    },
    check: async () => {
      if (!(await once(() => checks.bucketExists())))
        throw new EngineUnavailable(ENGINE, `${ENGINE}: the bucket is gone, or the key may not use it`)
    },
  }
}

/** What is deleted must be gone. Whether it is, is asked and tried: not all storage tells, and some in words of its own. */
async function requireUsable(settings: BucketSettings): Promise<void> {
  const storage = clientOf(settings, REQUEST_MS)
  const { bucket } = settings
  if (!(await persistently(() => storage.bucketExists())))
    throw new UnusableBucket(bucket, 'it is not there, or S3_ACCESS_KEY_ID may not use it.')
  const key = `probes/${randomUUID()}`
  const written = await persistently(() => storage.putObject(key, ''))
  const removed = await persistently(() => storage.deleteObject(key, { versionInfo: true }))
  const versions = await persistently(() => storage.getBucketVersioning().catch(untold))
  if (versions !== 'Off' || written.headers.has('x-amz-version-id') || removed.deleteMarker)
    throw new UnusableBucket(
      bucket,
      'it keeps versions of what is deleted, and what is erased must be gone: name one that never did.',
    )
}

function clientOf(
  { url, bucket, region, accessKeyId, secretAccessKey }: BucketSettings,
  milliseconds: number,
): S3mini {
  return new S3mini({
    endpoint: `${url.replace(/\/+$/, '')}/${bucket}`,
    region,
    accessKeyId,
    secretAccessKey,
    fetch: (input, init) =>
      fetch(input, { ...init, signal: AbortSignal.timeout(milliseconds + sendingMs(init?.body)) }),
  })
}

function sendingMs(body: unknown): number {
  const bytes = body instanceof Blob ? body.size : body instanceof Uint8Array ? body.byteLength : 0
  return Math.ceil(bytes / 1_048_576) * MIB_MS
}

/** What is done twice is as if it was done once: so a failure that may pass is tried again, for a while. */
async function persistently<T>(work: () => Promise<T>): Promise<T> {
  const started = performance.now()
  for (let attempt = 1; ; attempt++)
    try {
      return await work()
    } catch (error) {
      const isLate = performance.now() - started > RETRY_WITHIN_MS
      if (attempt === ATTEMPTS || isLate || !mayPass(error)) throw unavailable(error)
      await sleep(FIRST_PAUSE_MS * 2 ** attempt * (0.5 + Math.random()))
    }
}

async function once<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw unavailable(error)
  }
}

/** Refusals stay: a key that is wrong is wrong the next time too. */
const mayPass = (error: unknown): boolean =>
  !(error instanceof S3ServiceError) || error.status >= 500 || [408, 409, 429].includes(error.status)

/** What the storage said of a request may hold what the request was signed with: only status and code are kept. */
function unavailable(error: unknown): EngineUnavailable {
  if (error instanceof S3ServiceError)
    return new EngineUnavailable(ENGINE, `${ENGINE}: answered ${error.status} ${error.serviceCode ?? ''}`)
  const { message, cause } = error as Error
  const why = cause instanceof Error ? `${message}: ${cause.message}` : message
  return new EngineUnavailable(ENGINE, `${ENGINE}: ${why}`, { cause: error })
}

function absent(error: unknown): null {
  if (error instanceof S3ServiceError && error.status === 404) return null
  throw error
}

function untold(error: unknown): 'Off' {
  if (error instanceof S3ServiceError && [403, 405, 501].includes(error.status)) return 'Off'
  throw error
}
