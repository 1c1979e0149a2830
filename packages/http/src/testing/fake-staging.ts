import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { FileTooLarge, type StagedFile, type Staging } from '@medialog/application'

const HEAD_BYTES = 8192

export interface FakeStaging extends Staging {
  /** Ids of what is staged right now. */
  staged: Set<string>
  dispose(): Promise<void>
}

/** Staging in a folder of its own, as the port has it. */
export async function createFakeStaging(): Promise<FakeStaging> {
  const folder = await mkdtemp(join(tmpdir(), 'medialog-http-'))
  const staged = new Set<string>()
  const pathOf = (id: string): string => join(folder, id)

  async function stage(
    source: AsyncIterable<Uint8Array>,
    limit: (head: Uint8Array) => number,
    id = randomUUID() as string,
  ): Promise<StagedFile> {
    const hash = createHash('sha256')
    let head = Buffer.alloc(0)
    let most: number | null = null
    let size = 0
    const check = (): void => {
      most ??= limit(head)
      if (size > most) throw new FileTooLarge(most)
    }
    async function* counted(): AsyncIterable<Uint8Array> {
      for await (const chunk of source) {
        hash.update(chunk)
        size += chunk.length
        if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk]).subarray(0, HEAD_BYTES)
        if (head.length === HEAD_BYTES) check()
        yield chunk
      }
      check()
    }
    try {
      await pipeline(counted, createWriteStream(pathOf(id)))
    } catch (error) {
      await rm(pathOf(id), { force: true })
      throw error
    }
    staged.add(id)
    return { id, path: pathOf(id), size, sha256: hash.digest('hex'), head }
  }

  return {
    staged,
    stage,
    async release(id) {
      staged.delete(id)
      await rm(pathOf(id), { force: true })
    },
    sweep: async () => 0,
    room: async () => ({ free: 1, reserved: 0 }),
    reopen: async (id) => {
      const bytes = await readFile(pathOf(id))
      return { id, path: pathOf(id), size: bytes.length, head: bytes.subarray(0, HEAD_BYTES) }
    },
    dispose: () => rm(folder, { recursive: true, force: true }),
  }
}
