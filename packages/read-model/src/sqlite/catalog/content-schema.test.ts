import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { contentSchema, eraseContent } from './content-schema.ts'

const PAGE = 4096
/** The file's header changes with every commit. */
const HEADER = 100

let folder: string
let path: string
let database: DatabaseSync
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'medialog-content-'))
  path = join(folder, 'content.sqlite')
  database = new DatabaseSync(path)
  database.exec(
    `PRAGMA page_size = ${PAGE}; PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON; ${contentSchema}`,
  )
})
afterEach(() => {
  database.close()
  rmSync(folder, { recursive: true })
})

function fileBytes(): Buffer {
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  return readFileSync(path)
}

function insert(item: number, text: string, blob: Uint8Array): void {
  database.prepare('INSERT INTO record VALUES (?, ?)').run(item, text)
  database.prepare('INSERT INTO content VALUES (?, ?)').run(item, text)
  for (const ordinal of [0, 1])
    database.prepare('INSERT INTO chunk VALUES (?, ?, 0, 0, ?)').run(item, ordinal, text)
  database.prepare('INSERT INTO vectors VALUES (?, 1, ?, ?, ?)').run(item, blob, blob, blob)
  database.prepare('INSERT INTO entry VALUES (?, ?, 1, ?)').run(item, blob, blob)
}

/** Where the two differ, except in the header and the page that counts tombstones. */
function changes(before: Buffer, after: Buffer): number[] {
  const counter = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'tombstone'").get()!
  const changed: number[] = []
  for (let page = 0; page < before.length; page += PAGE) {
    if (page === PAGE * ((counter.rootpage as number) - 1)) continue
    if (after.subarray(page, page + PAGE).equals(before.subarray(page, page + PAGE))) continue
    for (let at = Math.max(page, HEADER); at < page + PAGE; at++)
      if (before[at] !== after[at]) changed.push(at)
  }
  return changed
}

const characters = fc.constantFrom('a', 'é', '항', '𝄞', '\u0000', '\ud800')
/** Within a page, about as long as one, and over several. */
const lengths = fc.oneof(fc.nat(50), fc.integer({ min: 1300, max: 4200 }), fc.nat(20_000))
const sizedRow = fc
  .tuple(fc.array(characters, { minLength: 1, maxLength: 7 }), lengths)
  .map(([some, length]) =>
    some
      .join('')
      .repeat(length / some.length)
      .slice(0, length),
  )

test('erasing an item turns bytes of it to zero where they are, and changes no other', () => {
  let item = 0
  fc.assert(
    fc.property(fc.array(sizedRow, { minLength: 1, maxLength: 4 }), fc.nat(3), (texts, nth) => {
      const first = item + 1
      for (const text of texts) insert(++item, text, Buffer.alloc(text.length, 0xab))
      const erased = first + (nth % texts.length)
      const before = fileBytes()
      database.exec(eraseContent(`${erased}`, '0'))
      const after = fileBytes()
      expect(after.length).toBe(before.length)
      const changed = changes(before, after)
      expect(changed.filter((at) => after[at] !== 0)).toEqual([])
      const text = Buffer.from(texts[erased - first]!)
      const blob = texts[erased - first]!.length
      expect(changed).toHaveLength(4 * text.filter((byte) => byte !== 0).length + 5 * blob)
    }),
    { numRuns: 40 },
  )
})

test('what is there no more is counted, with the bytes that it takes', () => {
  insert(1, 'é항', Buffer.alloc(100))
  insert(2, 'text', Buffer.alloc(10))
  database.exec(eraseContent('1', '7'))
  expect({ ...database.prepare('SELECT * FROM tombstone').get() }).toEqual({ items: 1, bytes: 7 + 200 })
})
