import { CFB } from '@e965/xlsx'
import { UnreadableFile, type Extraction } from '@medialog/application/ports/understanding'
import { describe, expect, test } from 'vitest'
import { asFormat, formatRow } from '../formats.ts'
import { openCompoundFile } from '../ole/compound.ts'
import { plainDoc } from '../testing/doc.ts'
import { readFixture } from '../testing/fixtures.ts'
import { extract } from './doc.ts'

const read = (bytes: Uint8Array): Promise<Extraction> =>
  extract({ bytes, filename: 'a.doc', format: asFormat(formatRow('doc')) })

/** Where the file information block stands, and with it the document stream. */
const wordStart = (bytes: Buffer): number => bytes.indexOf('\xec\xa5', 0, 'latin1')

describe('DOC', () => {
  test('fields show their result, hidden marks nothing', async () => {
    const { text } = await read(
      plainDoc(['see \x13 HYPERLINK "http://x" \x14the page\x15 a\x1eb\x1fc', 'end\x0bline']),
    )
    expect(text).toBe('see the page a\u2011bc\n\nend\nline')
  })

  test('a locked one is encrypted, one of Word 95 is refused for what it is', async () => {
    const locked = Buffer.from(await readFixture('documents/sample.doc'))
    const at = wordStart(locked)
    locked.writeUInt16LE(locked.readUInt16LE(at + 10) | 0x0100, at + 10)
    await expect(read(locked)).rejects.toMatchObject({ reason: 'encrypted' })
    const old = Buffer.from(await readFixture('documents/sample.doc'))
    old.writeUInt16LE(0x68, at + 2)
    await expect(read(old)).rejects.toThrow(/Word 95/)
  })

  test('a compound file without a document, and one whose chain leads back into itself', async () => {
    const xls = await readFixture('spreadsheet/sample.xls')
    await expect(read(xls)).rejects.toThrow(/no Word document/)
    const endless = Buffer.from(await readFixture('documents/sample.doc'))
    const table = 512 * (1 + endless.readUInt32LE(76))
    for (let sector = 0; sector < 30; sector++) endless.writeUInt32LE(sector, table + 4 * sector)
    await expect(read(endless)).rejects.toBeInstanceOf(UnreadableFile)
  })
})

test('a compound file gives each stream by its name', async () => {
  const file = openCompoundFile(await readFixture('documents/sample.doc'))
  expect(file.has('1Table')).toBe(true)
  expect(file.read('WordDocument')?.readUInt16LE(0)).toBe(0xa5ec)
  expect(file.read('nothing')).toBeNull()
  expect(file.has('nothing')).toBe(false)
})

test('a compound file names its streams in any case, and keeps those of embedded files apart', async () => {
  const archive = CFB.read(await readFixture('documents/sample.doc'), { type: 'buffer' })
  const main = Buffer.from(CFB.find(archive, '/WordDocument')!.content as Uint8Array)
  CFB.utils.cfb_del(archive, '/WordDocument')
  CFB.utils.cfb_add(archive, '/ObjectPool/_1/WordDocument', Buffer.from('embedded'))
  CFB.utils.cfb_add(archive, '/ObjectPool/_1/Deeper/CONTENTS', Buffer.from('embedded'))
  CFB.utils.cfb_add(archive, '/wORDDOCUMENT', main)
  const bytes = CFB.write(archive, { type: 'buffer' }) as Buffer
  expect(bytes.indexOf(Buffer.from('ObjectPool', 'utf16le'))).toBeLessThan(
    bytes.indexOf(Buffer.from('wORDDOCUMENT', 'utf16le')),
  )
  const file = openCompoundFile(bytes)
  expect(file.read('WordDocument')).toEqual(main)
  expect(file.has('CONTENTS')).toBe(false)
  expect((await read(bytes)).text).toContain('Annual Report')
})
