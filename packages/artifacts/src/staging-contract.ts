import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { FileTooLarge, type Staging } from '@medialog/application/ports'
import { describe, expect, test } from 'vitest'

export interface StagingUnderTest {
  staging: Staging
  /** Opened again on the same files, as after a restart. */
  reopen: () => Promise<Staging>
  /** How many files there are, whole or not. */
  files: () => Promise<number>
  close: () => Promise<void>
}

const unlimited = () => Infinity

async function* chunks(...sizes: number[]): AsyncGenerator<Uint8Array> {
  for (const size of sizes) yield Buffer.alloc(size, 7)
}

/** What every Staging must do. `factory` is called once a test, for an empty one. */
export function describeStagingContract(name: string, factory: () => Promise<StagingUnderTest>): void {
  const on = (run: (staged: StagingUnderTest) => Promise<void>) => async () => {
    const staged = await factory()
    try {
      await run(staged)
    } finally {
      await staged.close()
    }
  }

  describe(`staging: ${name}`, () => {
    test(
      'says how much room there is, and how much of it has to be left',
      on(async ({ staging }) => {
        const room = await staging.room()
        expect(room.free).toBeGreaterThan(0)
        expect(room.reserved).toBe(0)
      }),
    )

    test(
      'keeps the bytes, with size, digest and head, after a restart too',
      on(async ({ staging, reopen }) => {
        const bytes = randomBytes(300_000)
        const source = (async function* () {
          for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000)
        })()
        const staged = await staging.stage(source, unlimited)
        expect(staged.size).toBe(300_000)
        expect(staged.sha256).toBe(createHash('sha256').update(bytes).digest('hex'))
        expect(Buffer.from(staged.head).equals(bytes.subarray(0, 8_192))).toBe(true)
        expect((await readFile(staged.path)).equals(bytes)).toBe(true)
        const again = await (await reopen()).reopen(staged.id)
        expect((await readFile(again.path)).equals(bytes)).toBe(true)
        expect([again.id, again.size]).toEqual([staged.id, staged.size])
        expect(Buffer.from(again.head).equals(Buffer.from(staged.head))).toBe(true)
      }),
    )

    test(
      'takes an empty file and one shorter than a head',
      on(async ({ staging }) => {
        const empty = await staging.stage(chunks(), (head) => head.length)
        expect(empty).toMatchObject({ size: 0, sha256: createHash('sha256').digest('hex') })
        const heads: number[] = []
        const short = await staging.stage(chunks(10, 0, 5), (head) => heads.push(head.length) * 15)
        expect(short.size).toBe(15)
        expect(heads).toEqual([15])
      }),
    )

    test(
      'decides the limit once, from the first 8 KiB, however they arrive',
      on(async ({ staging }) => {
        for (const sizes of [
          [8_192, 10_000],
          [20_000],
          [1, 8_191, 4_000],
          Array.from({ length: 9_000 }, () => 1),
        ]) {
          const heads: number[] = []
          const staged = await staging.stage(chunks(...sizes), (head) => {
            heads.push(head.length)
            return 1_000_000
          })
          expect(heads).toEqual([8_192])
          expect(staged.head.length).toBe(8_192)
        }
      }),
    )

    test(
      'takes a file of exactly the limit, and stops reading as soon as it is passed',
      on(async ({ staging, files }) => {
        expect((await staging.stage(chunks(8_000, 2_000), () => 10_000)).size).toBe(10_000)
        let pulled = 0
        let ended = false
        const endless = (async function* () {
          try {
            for (;;) {
              pulled++
              yield Buffer.alloc(10_000)
            }
          } finally {
            ended = true
          }
        })()
        const refused = staging.stage(endless, () => 45_000)
        await expect(refused).rejects.toBeInstanceOf(FileTooLarge)
        await expect(refused).rejects.toMatchObject({ limit: 45_000 })
        expect(pulled).toBe(5)
        expect(ended).toBe(true)
        await expect(staging.stage(chunks(3), () => 2)).rejects.toBeInstanceOf(FileTooLarge)
        expect(await files()).toBe(1)
      }),
    )

    test(
      'leaves nothing behind where the source or the limit throws',
      on(async ({ staging, files }) => {
        const cut = (async function* () {
          yield Buffer.alloc(100_000)
          throw new Error('connection reset')
        })()
        await expect(staging.stage(cut, unlimited)).rejects.toThrow('connection reset')
        const unknown = staging.stage(chunks(100_000), () => {
          throw new RangeError('no such type')
        })
        await expect(unknown).rejects.toThrow(RangeError)
        expect(await files()).toBe(0)
      }),
    )

    test(
      'releases one file, once or twice',
      on(async ({ staging, files }) => {
        const [one, other] = [
          await staging.stage(chunks(5), unlimited),
          await staging.stage(chunks(5), unlimited),
        ]
        expect(one.id).not.toBe(other.id)
        const given = randomUUID()
        expect((await staging.stage(chunks(1), unlimited, given)).id).toBe(given)
        await staging.release(given)
        await staging.release(one.id)
        await staging.release(one.id)
        await expect(staging.reopen(one.id)).rejects.toThrow(one.id)
        expect((await staging.reopen(other.id)).head).toHaveLength(5)
        expect(await files()).toBe(1)
      }),
    )

    test(
      'sweeps what no process names, but nothing that is arriving',
      on(async ({ staging, files }) => {
        const kept = await staging.stage(chunks(5), unlimited)
        const other = await staging.stage(chunks(5), unlimited)
        let arrive = () => {}
        const slow = (async function* () {
          yield Buffer.alloc(10)
          await new Promise<void>((resolve) => (arrive = resolve))
          yield Buffer.alloc(10)
        })()
        const arriving = staging.stage(slow, unlimited)
        await expect.poll(files).toBe(3)
        const unheld: string[] = []
        const neededOf = async (ids: readonly string[]) => {
          unheld.push(...ids)
          return new Set([kept.id, randomUUID()])
        }
        expect(await staging.sweep(neededOf)).toBe(1)
        expect(unheld.sort()).toEqual([kept.id, other.id].sort())
        arrive()
        expect((await arriving).size).toBe(20)
        expect((await staging.reopen(kept.id)).size).toBe(5)
        expect(await files()).toBe(2)
      }),
    )

    test(
      'refuses what is no id',
      on(async ({ staging }) => {
        for (const bad of ['', '..', '../x', '/etc/passwd', `${randomUUID()}/..`, `${randomUUID()}.part`]) {
          await expect(staging.reopen(bad)).rejects.toThrow(RangeError)
          await expect(staging.release(bad)).rejects.toThrow(RangeError)
        }
      }),
    )
  })
}
