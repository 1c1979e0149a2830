import { describe, expect, test } from 'vitest'
import { readFixture } from '../testing/fixtures.ts'
import { ARCHIVE_BUDGET, checkArchive } from './budget.ts'

describe('checkArchive', () => {
  test('lets an ordinary document pass', async () => {
    await expect(checkArchive(await readFixture('documents/sample.docx'))).resolves.toBeUndefined()
  })

  test('lets one pass that something was appended to', async () => {
    const file = await readFixture('documents/sample.docx')
    for (const tail of ['\n', '\r\n-- \r\nsent by mail'])
      await expect(checkArchive(Buffer.concat([file, Buffer.from(tail)]))).resolves.toBeUndefined()
  })

  test.each(['hostile/bomb.docx', 'hostile/lying_size_bomb.docx'])(
    '%s: stops early, whatever its headers say',
    async (name) => {
      const before = process.cpuUsage()
      await expect(checkArchive(await readFixture(name))).rejects.toMatchObject({ reason: 'too-large' })
      const { user, system } = process.cpuUsage(before)
      expect((user + system) / 1000).toBeLessThan(3000)
    },
  )

  test.each([
    ['bytes', { bytes: 20_000 }],
    ['parts', { parts: 5 }],
    ['ratio', { ratio: 1, floor: 0 }],
  ])('a budget of %s', async (_, budget) => {
    const file = await readFixture('documents/sample.docx')
    await expect(checkArchive(file, { ...ARCHIVE_BUDGET, ...budget })).rejects.toMatchObject({
      reason: 'too-large',
    })
  })

  test('a part that inflates to something else is corrupted', async () => {
    const file = Buffer.from(await readFixture('documents/sample.docx'))
    const central = file.indexOf('PK\x01\x02', 0, 'latin1')
    file.writeUInt32LE(file.readUInt32LE(central + 16) ^ 1, central + 16)
    await expect(checkArchive(file)).rejects.toMatchObject({ reason: 'corrupted' })
  })

  test('a part with a password is encrypted, half an archive corrupted', async () => {
    const file = Buffer.from(await readFixture('documents/sample.docx'))
    await expect(checkArchive(file.subarray(0, 5000))).rejects.toMatchObject({ reason: 'corrupted' })
    const central = file.indexOf('PK\x01\x02', 0, 'latin1')
    file.writeUInt16LE(file.readUInt16LE(central + 8) | 1, central + 8)
    await expect(checkArchive(file)).rejects.toMatchObject({ reason: 'encrypted' })
  })
})
