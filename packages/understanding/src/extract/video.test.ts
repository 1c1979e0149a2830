import type { Extraction } from '@medialog/application/ports/understanding'
import { expect, test } from 'vitest'
import { identify } from '../sniff.ts'
import { readFixture } from '../testing/fixtures.ts'
import { extract } from './video.ts'

const read = (filename: string, bytes: Uint8Array): Promise<Extraction> =>
  extract({ bytes, filename, format: identify(filename, bytes.subarray(0, 8192)) })

const sample = async (name: string): Promise<Buffer> => Buffer.from(await readFixture(`video/${name}`))

/** Turns the element with this identifier into padding of the same length. */
function padOver(webm: Buffer, id: string): void {
  const at = webm.indexOf(id, 0, 'hex')
  const width = Math.clz32(webm[at + id.length / 2]!) - 23
  const length = webm.readUIntBE(at + id.length / 2, width) & (2 ** (7 * width) - 1)
  const rest = id.length / 2 + width + length - 5
  webm[at] = 0xec
  webm.writeUInt32BE(0x10000000 + rest, at + 1)
}

test('what a browser records states neither length nor frame rate: both are counted', async () => {
  const webm = await sample('sample.webm')
  webm.set([1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], webm.indexOf('18538067', 0, 'hex') + 4)
  for (const id of ['4489', '23e383', '1254c367']) padOver(webm, id)
  const { facts } = await read(
    'recorded.webm',
    webm.subarray(0, webm.lastIndexOf('1c53bb6b', undefined, 'hex')),
  )
  expect(facts).toMatchObject({ duration: expect.closeTo(4, 1), frameRate: expect.closeTo(25, 0) })
})

test('a video filmed with the telephone upright is higher than wide', async () => {
  const mp4 = await sample('sample.mp4')
  const matrix = mp4.indexOf('tkhd') + 4 + 40
  for (const [at, value] of [0, 0x10000, 0, -0x10000, 0].entries()) mp4.writeInt32BE(value, matrix + 4 * at)
  expect((await read('upright.mp4', mp4)).facts).toMatchObject({ width: 180, height: 320 })
})

/** The sample played slower: a smaller number of ticks to the second. */
async function slowed(times: number): Promise<Buffer> {
  const mp4 = await sample('sample.mp4')
  for (const box of ['mvhd', 'mdhd'])
    for (let at = mp4.indexOf(box); at >= 0; at = mp4.indexOf(box, at + 1))
      mp4.writeUInt32BE(mp4.readUInt32BE(at + 16) / times, at + 16)
  return mp4
}

test('a video over ten minutes is too large', async () => {
  expect((await read('slow.mp4', await slowed(100))).facts).toMatchObject({ duration: 400, frameRate: 0.25 })
  await expect(read('long.mp4', await slowed(200))).rejects.toMatchObject({
    reason: 'too-large',
    message: expect.stringContaining('10 minutes'),
  })
})

test('a video whose pictures would not fit into it is damaged', async () => {
  const mp4 = await sample('sample.mp4')
  const stts = mp4.indexOf('stts')
  mp4.writeUInt32BE(1, stts + 16)
  await expect(read('fast.mp4', mp4)).rejects.toMatchObject({ reason: 'corrupted' })
})

test('sound alone is no video, and the name it should have is told', async () => {
  const mp4 = Buffer.from(await readFixture('audio/sample.m4a'))
  mp4.write('isom', 8)
  await expect(read('sound.mp4', mp4)).rejects.toMatchObject({
    reason: 'corrupted',
    message: 'The video holds sound but no pictures. Under a name with .m4a it is read as a recording.',
  })
})
