import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { BLOCK } from '@medialog/application/ports'
import { expect, test } from 'vitest'
import { verifyChain } from '../testing/verify-chain.ts'
import { copyLeaves } from '../leaves/copy-leaves.ts'
import { openSqliteLeaves } from '../leaves/sqlite-leaves.ts'
import { startChild } from '../testing/child.ts'
import { temporaryFolder } from '../testing/folder.ts'
import { copyDatabase } from './copy-database.ts'
import { openSqliteLogReader } from './reader.ts'

/** How many events a log without a writer has, none of them broken. */
async function proven(path: string): Promise<number> {
  const log = openSqliteLogReader({ path })
  try {
    const { broken } = await verifyChain(log.readAll(0, { proven: true }))
    expect(broken).toBeNull()
    return await log.head()
  } finally {
    await log.close()
  }
}

test('a log that is written to is copied as it was at one moment, and so is one that a crash left', async () => {
  await using folder = await temporaryFolder()
  await using writer = startChild('./append-for-ever.ts', [folder.log])
  let acknowledged = 0
  for (; acknowledged < 40; acknowledged++) expect(await writer.nextLine()).toMatch(/^media-/)
  const ratios: number[] = []
  const [live, crashed] = [join(folder.path, 'copies', 'live'), join(folder.path, 'copies', 'crashed')]
  await copyDatabase(folder.log, live, (ratio) => ratios.push(ratio))
  expect(ratios.at(-1)).toBe(1)
  const copied = await proven(live)
  expect(copied).toBeGreaterThanOrEqual(3 * acknowledged)
  acknowledged += (await writer.kill()).length
  // What it wrote last is in the write-ahead log that it left.
  expect(await readdir(folder.path)).toContain('log.db-wal')
  await copyDatabase(folder.log, crashed)
  expect(await proven(crashed)).toBeGreaterThanOrEqual(Math.max(copied, 3 * acknowledged))
  expect((await readdir(join(folder.path, 'copies'))).sort()).toEqual(['crashed', 'live'])
})

test('leaves are copied up to a position, with the roots of the blocks that are whole by then', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'leaves.sqlite')
  const leaves = openSqliteLeaves(path)
  const leafOf = (index: number) => ({
    position: 2 * index + 1,
    stream: `media-${index % 3}` as const,
    revision: Math.floor(index / 3),
    hash: index.toString(16).padStart(64, '0'),
  })
  const block = (number: number) => new Uint8Array(32).fill(number)
  await leaves.append(
    0,
    Array.from({ length: 3 * BLOCK }, (_, index) => leafOf(index)),
    [block(1), block(2), block(3)],
  )
  const sizes: [number, number][] = []
  for (const [number, position] of [0, 1, 2 * BLOCK, 4 * BLOCK, 4 * BLOCK + 1, 1e9].entries()) {
    const to = join(folder.path, `copy-${number}`)
    await copyLeaves(path, to, position)
    const copy = openSqliteLeaves(to)
    sizes.push([await copy.size(), (await copy.blocks()).length])
    await copy.close()
  }
  expect(sizes).toEqual([
    [0, 0],
    [1, 0],
    [BLOCK, 1],
    [2 * BLOCK, 2],
    [2 * BLOCK + 1, 2],
    [3 * BLOCK, 3],
  ])
  await leaves.close()
})
