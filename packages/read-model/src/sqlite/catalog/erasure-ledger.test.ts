import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { damageMiddle, damageTree } from '../../testing/damage.ts'
import { logOf } from '../../testing/engine.ts'
import { put, uuid } from '../../testing/items.ts'
import { openSqliteEngine } from '../../testing/sqlite-engine.ts'
import { openErasureLedger } from './erasure-ledger.ts'

let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'medialog-ledger-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const path = (): string => join(folder, 'erased.sqlite')
const erasure = (n: number) => ({
  mediaId: uuid(`media ${n}`),
  ingestId: uuid(`ingest ${n}`),
})

test.each([
  ['a table', () => damageTree(path(), 'erased')],
  ['all', () => damageMiddle(path())],
  [
    'the header',
    () => new DatabaseSync(path()).exec('DROP TABLE done; CREATE TABLE done (above ANY) STRICT'),
  ],
])(
  'one of which %s is damaged is thrown away at the start, and takes nothing for done',
  async (_, damage) => {
    const before = openErasureLedger(path())
    await before.markErased(erasure(1))
    before.raise(7)
    before.close()
    damage()
    const told: string[] = []
    const ledger = openErasureLedger(path(), (reason) => told.push(reason))
    expect(told).toHaveLength(1)
    expect([ledger.isDone(erasure(1)), ledger.doneBelow(100)]).toEqual([false, 0])
    await ledger.markErased(erasure(1))
    ledger.close()
    const after = openErasureLedger(path(), (reason) => told.push(reason))
    expect([after.isDone(erasure(1)), told.length]).toEqual([true, 1])
    after.close()
  },
)

test('one that turns out to be damaged while it is read is thrown away, and goes on', async () => {
  // More than its page cache holds.
  const before = openErasureLedger(path())
  const database = new DatabaseSync(path())
  database.exec(`
    WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 80000)
    INSERT INTO erased SELECT hex(randomblob(16)), hex(randomblob(16)) FROM n`)
  database.close()
  before.raise(7)
  before.close()
  const told: string[] = []
  const ledger = openErasureLedger(path(), (reason) => told.push(reason))
  damageMiddle(path())
  for (let n = 0; n < 1_000 && told.length === 0; n++) ledger.isDone(erasure(n))
  expect(told).toHaveLength(1)
  expect(ledger.doneBelow(100)).toBe(0)
  await ledger.markErased(erasure(1))
  expect(ledger.isDone(erasure(1))).toBe(true)
  ledger.close()
})

test('one that says more is done than the log has events hides nothing', async () => {
  const engine = await openSqliteEngine()
  try {
    await logOf(engine).record(put({ media: 'a' }), {
      type: 'RemoveItem',
      accountId: uuid('account'),
      mediaId: uuid('a'),
      ingestId: uuid('a/1'),
      revision: 2,
      at: 1,
    })
    const pending = await engine.catalog.pendingErasures(9)
    expect(pending).toHaveLength(1)
    await engine.erasures.markErased(pending[0]!)
    expect(await engine.catalog.pendingErasures(9)).toEqual([])
    engine.erasures.raise(1_000_000)
    // Thrown away, so what was done is done again.
    expect(await engine.catalog.pendingErasures(9)).toEqual(pending)
  } finally {
    await engine.close()
  }
})
