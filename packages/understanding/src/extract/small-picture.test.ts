import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ExtractorPool } from '../pool/pool.ts'
import { fixtureFile, scratchFolder, sourceFile } from '../testing/fixtures.ts'

const pool = new ExtractorPool()
let folder: Awaited<ReturnType<typeof scratchFolder>>
beforeAll(async () => {
  folder = await scratchFolder()
})
afterAll(async () => {
  await pool.close()
  await folder.remove()
})

const pictureOf = async (name: string) =>
  (await pool.extract(await fixtureFile(name), { withPicture: true })).picture

describe('a picture to be looked at', () => {
  test.each(['jpg', 'png', 'gif', 'webp', 'tiff', 'bmp', 'heic'])('is made of %s', async (format) => {
    const { width, height, ...made } = await sharp(await pictureOf(`images/sample.${format}`)).metadata()
    expect(made).toMatchObject({ format: 'jpeg', space: 'srgb' })
    const { facts } = (await pool.extract(await fixtureFile(`images/sample.${format}`))).extraction
    if (facts.mediaType !== 'image') throw new Error('no picture')
    expect(Math.max(width, height)).toBeLessThanOrEqual(1024)
    expect(width / height).toBeCloseTo(facts.width / facts.height, 1)
  })

  test('is upright, small, and tells neither place nor name', async () => {
    const bytes = await sharp({ create: { width: 3_000, height: 1_000, channels: 3, background: '#c00' } })
      .withExif({
        IFD0: { Artist: 'Ada Secret' },
        IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' },
      })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer()
    const path = await folder.write('turned.jpg', bytes)
    const { picture } = await pool.extract(sourceFile(path, bytes), { withPicture: true })
    const { width, height, exif, xmp, iptc, orientation } = await sharp(picture).metadata()
    expect({ width, height, exif, xmp, iptc, orientation }).toEqual({ width: 341, height: 1024 })
    expect(Buffer.from(picture!).includes('Secret')).toBe(false)
  })

  test('is kept as a preview of at most 256 pixels, where previews are kept', async () => {
    const file = await fixtureFile('images/sample.jpg')
    const { extraction, thumbnails } = await pool.extract(file, { withPreview: true })
    const { facts } = extraction
    const { width, height, format } = await sharp(thumbnails![0]).metadata()
    expect([format, Math.max(width, height), thumbnails!.length]).toEqual(['jpeg', 256, 1])
    expect(facts).toMatchObject({ preview: { width, height, bytes: thumbnails![0]!.length } })
    const text = await pool.extract(await fixtureFile('demo/kimchi.txt'), { withPreview: true })
    expect(text.thumbnails).toBeUndefined()
  })

  test('is kept of a drawing too, and of none that would be drawn without an end', async () => {
    const previewOf = async (name: string) =>
      (await pool.extract(await fixtureFile(name), { withPreview: true })).thumbnails?.[0]
    const { width, height, format } = await sharp(await previewOf('images/sample.svg')).metadata()
    expect([format, width, height]).toEqual(['jpeg', 256, 160])
    const again = (name: string, inner: string) => `<g id="${name}">${inner.repeat(20)}</g>`
    const levels = Array.from({ length: 12 }, (_, level) =>
      again(`l${level + 1}`, `<use href="#l${level}"/>`),
    )
    const bytes = Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg"><rect id="l0" width="1" height="1"/>${levels.join('')}</svg>`,
    )
    const file = sourceFile(await folder.write('endless.svg', bytes), bytes)
    expect(await pool.extract(file, { withPreview: true })).not.toHaveProperty('thumbnails')
  })

  test('is none of a drawing or a text, nor where nobody asks for one', async () => {
    expect(await pictureOf('images/sample.svg')).toBeUndefined()
    expect(await pictureOf('demo/kimchi.txt')).toBeUndefined()
    expect(await pool.extract(await fixtureFile('images/sample.jpg'))).not.toHaveProperty('picture')
  })
})
