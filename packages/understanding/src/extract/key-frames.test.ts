import type { KeyFrame } from '@medialog/application/ports/understanding'
import sharp from 'sharp'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { readFixture } from '../testing/fixtures.ts'
import { Content } from './content.ts'
import { keyFramesOf, type KeyFrames } from './key-frames.ts'

const CLIP = { width: 320, height: 180, duration: 4, frameRate: 25 }
/** Too long to be decoded frame by frame. */
const LONG = { ...CLIP, frameRate: 10_000 }

const sample = async (name: string): Promise<Buffer> => Buffer.from(await readFixture(`video/${name}`))

function seen(bytes: Uint8Array, stated = CLIP): { found: KeyFrames | null; warnings: string[] } {
  const content = new Content()
  return { found: keyFramesOf(bytes, stated, content), warnings: content.warnings }
}

const RED: Partial<KeyFrame> = {
  kind: 'plain',
  brightness: expect.closeTo(0.32, 2),
  dominantColors: [{ hex: expect.stringMatching(/^#C[89]3[12]3[23]$/), name: 'red', share: 1 }],
}

describe('two seconds of red, then a test pattern', () => {
  test.each(['mp4', 'mov', 'avi', 'webm', 'mpeg', 'mpg', 'wmv'].map((extension) => `sample.${extension}`))(
    '%s',
    async (name) => {
      const { found, warnings } = seen(await sample(name))
      expect(warnings).toEqual([])
      const [red, pattern, ...more] = found!.keyFrames
      expect(more).toEqual([])
      expect(red).toMatchObject({ time: 0, ...RED })
      // AVI keeps no times: its pictures are a frame late.
      expect(Math.abs(pattern!.time - 2)).toBeLessThan(0.05)
      expect(pattern!.kind).toBe('drawing')
      expect(pattern!.dominantColors.length).toBeGreaterThan(3)
    },
  )

  test('HEVC', async () => {
    expect(seen(await sample('sample_hevc.mp4')).found!.keyFrames.map(({ time }) => time)).toEqual([0, 2])
  })

  test('as browsers record: only its first frame stands by itself, so all are looked at, however long it is', async () => {
    const stated = { ...LONG, width: 160, height: 90, frameRate: 40_000 }
    const { found, warnings } = seen(await sample('recorded.webm'), stated)
    expect(found!.keyFrames.map(({ time }) => time)).toEqual([0, 2])
    expect(warnings).toEqual([])
  })

  test('of a long video the frames that stand by themselves are enough', async () => {
    const { found, warnings } = seen(await sample('sample.mp4'), LONG)
    expect(found!.keyFrames.map(({ time }) => time)).toEqual([0, 2])
    expect(warnings).toEqual([])
  })
})

test('thumbnails are JPEG files of the key frames as shown', async () => {
  const { keyFrames, thumbnails } = seen(await sample('sample.webm')).found!
  expect(thumbnails).toHaveLength(keyFrames.length)
  for (const thumbnail of thumbnails)
    expect(await sharp(thumbnail).metadata()).toMatchObject({ format: 'jpeg', width: 320, height: 180 })
  const { dominant } = await sharp(thumbnails[0]).stats()
  expect(dominant.r).toBeGreaterThan(4 * dominant.b - 50)
})

test('a video filmed with the telephone upright is seen upright', async () => {
  const mp4 = await sample('sample.mp4')
  const matrix = mp4.indexOf('tkhd') + 4 + 40
  for (const [at, value] of [0, 0x10000, 0, -0x10000, 0].entries()) mp4.writeInt32BE(value, matrix + 4 * at)
  const [thumbnail] = seen(mp4).found!.thumbnails
  expect(await sharp(thumbnail).metadata()).toMatchObject({ width: 180, height: 320 })
})

test('the same bytes give the same key frames and pictures', async () => {
  const bytes = await sample('sample.mov')
  expect(seen(bytes)).toEqual(seen(bytes))
})

describe('what cannot be seen is said', () => {
  test('a codec that is not decoded', async () => {
    const mp4 = await sample('sample.mp4')
    mp4.write('vvc1', mp4.indexOf('avc1', mp4.indexOf('stsd')))
    const { found, warnings } = seen(mp4)
    expect(found).toBeNull()
    expect(warnings).toEqual(['The pictures are in a codec that is not decoded: no scenes were looked for.'])
  })

  test('no video at all', () => {
    const { found, warnings } = seen(Buffer.from('no video'))
    expect(found).toBeNull()
    expect(warnings).toHaveLength(1)
  })

  test('pictures that are all damaged', async () => {
    const mp4 = await sample('sample.mp4')
    const data = mp4.indexOf('mdat') + 4
    const { found, warnings } = seen(mp4.fill(0xff, data, data + 8000))
    expect(found === null || found.keyFrames.length > 0).toBe(true)
    expect(warnings).toHaveLength(found ? 0 : 1)
  })
})

describe('without the decoder', () => {
  afterEach(() => {
    vi.doUnmock('node:fs')
    vi.resetModules()
  })

  test('a video has no key frames and says why', async () => {
    vi.resetModules()
    vi.doMock('node:fs', () => ({
      readFileSync: () => {
        throw new Error('ENOENT')
      },
    }))
    const bare = await import('./key-frames.ts')
    const content = new Content()
    expect(bare.keyFramesOf(await sample('sample.mp4'), CLIP, content)).toBeNull()
    expect(content.warnings).toEqual(['No decoder for pictures is installed: no scenes were looked for.'])
  })
})
