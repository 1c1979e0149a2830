import { describe, expect, test } from 'vitest'
import { readFixture } from '../testing/fixtures.ts'
import { holdsLastFrame } from './flac-frames.ts'
import { refuseCut } from './playable.ts'
import { statedLength } from './stated-length.ts'

describe('statedLength', () => {
  test.each([
    ...['wav', 'aiff', 'ogg', 'm4a', 'wma'].map((extension) => `audio/sample.${extension}`),
    'audio/sample_opus.ogg',
    ...['mp4', 'mov', 'webm', 'avi'].map((extension) => `video/sample.${extension}`),
  ])('%s states its own length, whole or cut', async (name) => {
    const whole = await readFixture(name)
    expect(statedLength(whole)).toBe(whole.length)
    expect(statedLength(whole.subarray(0, -1))).toBe(whole.length)
  })

  test.each([
    'audio/sample.mp3',
    'audio/sample.aac',
    'audio/sample.flac',
    'video/sample.mpg',
    'documents/sample.txt',
  ])('%s states none', async (name) => {
    expect(statedLength(await readFixture(name))).toBeNull()
  })

  test('WMV states where its data ends; an index may follow', async () => {
    const wmv = await readFixture('video/sample.wmv')
    expect(statedLength(wmv)).toBeLessThan(wmv.length)
    expect(statedLength(wmv)).toBeGreaterThan(0.99 * wmv.length)
  })

  test('a WebM still open when its recording ended states none', async () => {
    const webm = Buffer.from(await readFixture('video/sample.webm'))
    const segment = webm.indexOf('18538067', 0, 'hex')
    webm.set([1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], segment + 4)
    expect(statedLength(webm)).toBeNull()
  })

  test.each([0, 0xffffffff])('a recorder that could not go back leaves %i in a WAV', async (stated) => {
    const wav = Buffer.from(await readFixture('audio/sample.wav'))
    wav.writeUInt32LE(stated, 4)
    expect(statedLength(wav)).toBeNull()
  })

  test('a WAV that counts its header twice is whole, one that lacks more is cut', async () => {
    const wav = Buffer.from(await readFixture('audio/sample.wav'))
    wav.writeUInt32LE(wav.length, 4)
    expect(() => refuseCut(wav, 'recording')).not.toThrow()
    expect(() => refuseCut(wav.subarray(0, -1), 'recording')).toThrow(/ends before/)
  })

  test('a box of size 0 goes to the end, one of size 1 has a 64-bit size', () => {
    const box = (type: string, size: number): Buffer => {
      const head = Buffer.alloc(16)
      head.writeUInt32BE(size)
      head.write(type, 4, 'latin1')
      return head
    }
    const large = box('mdat', 1)
    large.writeBigUInt64BE(1_000_000n, 8)
    const ftyp = box('ftyp', 16)
    expect(statedLength(Buffer.concat([ftyp, box('mdat', 0), Buffer.alloc(99)]))).toBe(16)
    expect(statedLength(Buffer.concat([ftyp, large, Buffer.alloc(99)]))).toBe(16 + 1_000_000)
    expect(statedLength(Buffer.concat([ftyp, box('junk', 1_000_000), Buffer.alloc(99)]))).toBe(16)
  })
})

describe('holdsLastFrame', () => {
  const cases: [string, (flac: Buffer) => Uint8Array, boolean][] = [
    ['whole', (flac) => flac, true],
    ['with a tag behind it', (flac) => Buffer.concat([flac, Buffer.from('TAG'.padEnd(128))]), true],
    [
      'with a last frame of 12 bytes',
      (flac) => flac.subarray(0, flac.lastIndexOf('fff8', undefined, 'hex') + 12),
      true,
    ],
    ['cut before its last frame', (flac) => flac.subarray(0, flac.length * 0.9), false],
    ['cut within its header', (flac) => flac.subarray(0, 30), false],
    [
      'with 4 MB of sync bytes in place of frames',
      (flac) => Buffer.concat([flac.subarray(0, 100), Buffer.alloc(4e6, '\xff\xf8', 'latin1')]),
      false,
    ],
    ['of unknown length', (flac) => (flac.fill(0, 22, 26), (flac[21]! &= 0xf0), flac), true],
  ]
  test.each(cases)('a FLAC %s', async (_, change, expected) => {
    expect(holdsLastFrame(change(Buffer.from(await readFixture('audio/sample.flac'))))).toBe(expected)
  })
})
