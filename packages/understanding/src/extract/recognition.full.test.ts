import { UnreadableFile, type Extraction, type ImageFacts } from '@medialog/application/ports/understanding'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findTrainedData } from '../ocr/trained-data.ts'
import { ExtractorPool, type PoolOptions } from '../pool/pool.ts'
import { fixtureFile, readFixture } from '../testing/fixtures.ts'
import { noisyPicture } from '../testing/noisy-picture.ts'
import { plainPdf } from '../testing/pdf.ts'
import { startReading, type Outcome } from '../testing/reading.ts'
import { scannedPdf, type PlacedPicture } from '../testing/scanned-pdf.ts'

const reading = await startReading()
const { read } = reading
afterAll(() => reading.close())

const LETTER = [
  'Harbour Office Bergen',
  'Permit 2291 for the lighthouse keeper',
  'The lamp shall burn from dusk until dawn.',
  'Fuel is delivered on the first Monday of each month.',
  'Report broken panes to the harbour master at once.',
  'Signed on 14 March 1931',
  'Ingrid Solberg',
]
const textOf = (outcome: Outcome): string => (outcome as Extraction).text
const linesOf = (outcome: Outcome): string[] => textOf(outcome).split(/\n+/)
const kindOf = (outcome: Outcome): string | undefined =>
  ((outcome as Extraction).facts as ImageFacts).kind?.name

let letter: Uint8Array
/** Its greys, a byte a pixel. */
let grey: { pixels: Uint8Array; width: number; height: number }
beforeAll(async () => {
  letter = await readFixture('images/letter_scan.jpg')
  const { data, info } = await sharp(letter).greyscale().raw().toBuffer({ resolveWithObject: true })
  grey = { pixels: data, width: info.width, height: info.height }
})

describe('words in pictures', () => {
  test('a scanned letter', async () => {
    const scan = await reading.readFixture('images/letter_scan.jpg')
    expect(linesOf(scan)).toEqual(LETTER)
    expect(kindOf(scan)).toBe('scan')
    expect(scan.language).toBe('en')
  })

  test('a screenshot', async () => {
    const shot = await reading.readFixture('images/screenshot.png')
    expect(linesOf(shot)).toEqual(expect.arrayContaining(['Postbox', 'Drafts', 'Weekend at the lighthouse']))
    expect(kindOf(shot)).toBe('screenshot')
  })

  test.each([90, 180])('turned by %i degrees', async (angle) => {
    expect(linesOf(await read('turned.png', await sharp(letter).rotate(angle).png().toBuffer()))).toEqual(
      LETTER,
    )
  })

  test('as EXIF turns it', async () => {
    const turned = await sharp(await sharp(letter).rotate(270).png().toBuffer())
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer()
    const outcome = await read('exif.jpg', turned)
    expect(outcome).toMatchObject({ facts: { width: grey.width, height: grey.height } })
    expect(linesOf(outcome)).toEqual(LETTER)
  })

  test.each([0, 255])('ink of level %i on nothing', async (level) => {
    const { pixels, width, height } = grey
    const rgba = Buffer.alloc(4 * pixels.length, level)
    pixels.forEach((paper, index) => (rgba[4 * index + 3] = 255 - paper))
    const bytes = await sharp(rgba, { raw: { width, height, channels: 4 } })
      .png()
      .toBuffer()
    expect(textOf(await read('clear.png', bytes))).toContain('Permit 2291 for the lighthouse keeper')
  })

  test('a picture without words has none, and says nothing of it', async () => {
    const { data, info } = noisyPicture(800, 600)
    const outcome = await read('noise.jpg', await sharp(data, { raw: info }).jpeg().toBuffer())
    expect(outcome).toMatchObject({ text: '', warnings: [] })
    expect(outcome).not.toHaveProperty('recognition')
    expect(kindOf(outcome)).toBe('photo')
  })
})

describe('what a picture is', () => {
  const shapes = (size: number, attributes = ''): string =>
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" ${attributes}>` +
    '<circle cx="50%" cy="50%" r="30%" fill="#C83232"/><rect width="20%" height="90%" fill="#2850B4"/></svg>'
  const png = (svg: string): Promise<Buffer> => sharp(Buffer.from(svg)).png().toBuffer()

  test('a drawing, an icon, and what is drawn by its format', async () => {
    const white = await sharp(await png(shapes(600)))
      .flatten({ background: '#FFFFFF' })
      .png()
      .toBuffer()
    expect(kindOf(await read('shapes.png', white))).toBe('drawing')
    expect(kindOf(await read('small.png', await png(shapes(48))))).toBe('icon')
    expect(kindOf(await read('clear.png', await png(shapes(256))))).toBe('icon')
    expect(kindOf(await read('shapes.svg', shapes(600)))).toBe('drawing')
    expect(kindOf(await read('icon.svg', shapes(24)))).toBe('icon')
  })

  test('a camera speaks for a photo, flat colours against it', async () => {
    const exif = { IFD2: { ExposureTime: '1/60', FNumber: '28/10' } }
    const { data, info } = noisyPicture(400, 300)
    const taken = await sharp(data, { raw: info }).withExif(exif).jpeg().toBuffer()
    expect(await read('taken.jpg', taken)).toMatchObject({
      facts: { kind: { name: 'photo', confidence: 0.95 } },
    })
    const plain = { create: { width: 400, height: 300, channels: 3, background: '#C83232' } } as const
    expect(await read('plain.jpg', await sharp(plain).withExif(exif).jpeg().toBuffer())).toMatchObject({
      facts: { kind: { name: 'drawing', confidence: 0.5 } },
    })
  })
})

describe('scanned PDFs', () => {
  const [W, H] = [500, 350]
  const whole = (): PlacedPicture => ({ ...grey, matrix: [W, 0, 0, H, 0, 0] })
  const strip = (from: number, to: number): PlacedPicture => ({
    width: grey.width,
    height: to - from,
    pixels: grey.pixels.subarray(from * grey.width, to * grey.width),
    matrix: [W, 0, 0, (H * (to - from)) / grey.height, 0, H - (H * to) / grey.height],
  })
  /** Ink is 0: rows of bits, each beginning at a byte. */
  const stencil = (): PlacedPicture => {
    const stride = Math.ceil(grey.width / 8)
    const bits = new Uint8Array(stride * grey.height).fill(255)
    grey.pixels.forEach((level, index) => {
      const [x, y] = [index % grey.width, Math.floor(index / grey.width)]
      if (level < 128) bits[y * stride + (x >> 3)]! &= ~(0x80 >> (x & 7))
    })
    return { ...grey, pixels: bits, matrix: [W, 0, 0, H, 0, 0], stencil: true }
  }

  test('a page without a text layer', async () => {
    const scan = await reading.readFixture('documents/sample_scanned.pdf')
    expect(linesOf(scan)).toEqual(['Quarterly Report', 'Invoice 4711 total 98.50'])
    expect(scan).toMatchObject({
      figureCount: 1,
      facts: { pageCount: 1, wordCount: 6 },
      recognition: { words: 6, pages: [1] },
      warnings: [expect.stringMatching(/^The words of page 1 were read from pictures by OCR, mean/)],
    })
  })

  test.each([
    ['one picture', () => ({ width: W, height: H, pictures: [whole()] })],
    [
      'strips',
      () => ({ width: W, height: H, pictures: [strip(0, 300), strip(300, 500), strip(500, grey.height)] }),
    ],
    ['a stencil', () => ({ width: W, height: H, pictures: [stencil()] })],
    [
      'a page that is to be turned',
      () => ({
        width: H,
        height: W,
        rotate: 90 as const,
        pictures: [{ ...grey, matrix: [0, W, -H, 0, H, 0] as const }],
      }),
    ],
    [
      'a picture on its head',
      () => ({ width: W, height: H, pictures: [{ ...grey, matrix: [-W, 0, 0, -H, W, H] as const }] }),
    ],
    ['a page number below', () => ({ width: W, height: H, pictures: [whole()], text: 'Page 1' })],
  ])('%s', async (_, page) => {
    const outcome = await read('scan.pdf', scannedPdf([page()]))
    expect(linesOf(outcome).filter((line) => line !== 'Page 1')).toEqual(LETTER)
  })

  test('only pages without words of their own are read so, in their place', async () => {
    const words = 'This page has a text layer, which says all that there is to say.'
    const text = { width: W, height: H, pictures: [whole()], text: words }
    const scan = { width: W, height: H, pictures: [whole()] }
    const outcome = await read('mixed.pdf', scannedPdf([text, scan, text]))
    expect(linesOf(outcome)).toEqual([words, ...LETTER, words])
    expect(outcome).toMatchObject({ facts: { pageCount: 3 }, recognition: { pages: [2] } })
  })

  test('after twenty pages the rest is not read, and named', async () => {
    const name = await sharp(letter)
      .extract({ left: 60, top: 40, width: 560, height: 100 })
      .greyscale()
      .raw()
      .toBuffer()
    const page = {
      width: 280,
      height: 50,
      pictures: [{ width: 560, height: 100, pixels: name, matrix: [280, 0, 0, 50, 0, 0] as const }],
    }
    const outcome = await read('long.pdf', scannedPdf(Array.from({ length: 23 }, () => page)))
    // A machine that is very slow reads fewer, and says so too.
    const { pages } = (outcome as Extraction).recognition!
    expect(pages!.length).toBeLessThanOrEqual(20)
    expect(pages).toEqual(pages!.map((_, index) => index + 1))
    expect(textOf(outcome).match(/Harbour Office Bergen/g)).toHaveLength(pages!.length)
    expect(outcome).toMatchObject({
      warnings: expect.arrayContaining([
        `Words may stand in pictures on pages ${pages!.length + 1} to 23 that were not read.`,
      ]),
    })
  })

  test('pictures upon pictures, without end or size, end', async () => {
    const odd = [Infinity, NaN, 0].map((side) => ({
      ...grey,
      pixels: grey.pixels.subarray(0, 100),
      matrix: [side, 0, 0, side, 0, 0] as const,
    }))
    const pages = [
      {
        width: W,
        height: H,
        pictures: Array.from({ length: 10 }, whole).flatMap((layer) => [layer, ...odd]),
      },
      { width: 0, height: 0, pictures: [whole()] },
      { width: 1e7, height: 1e7, pictures: [whole()] },
    ]
    expect(await read('layers.pdf', scannedPdf(pages))).toMatchObject({ facts: { pageCount: 3 } })
  })

  test('pages without words and pictures', async () => {
    expect(await read('empty.pdf', plainPdf([[], []]))).toMatchObject({
      text: '',
      warnings: ['The PDF has no text layer, and no words were read from its pictures.'],
    })
  })
})

describe('what stands in the way of reading', () => {
  async function readWith(options: PoolOptions, name = 'images/sample.png'): Promise<Extraction> {
    const pool = new ExtractorPool({ concurrency: 1, ...options })
    try {
      return (await pool.extract(await fixtureFile(name))).extraction
    } finally {
      await pool.close()
    }
  }
  const unread = {
    text: '',
    warnings: ['There may be words in the picture that were not read.'],
    facts: { width: 640, height: 400, kind: { name: 'drawing' } },
  }

  test('turned off: all but the words is known', async () => {
    expect(await readWith({ trained: [] })).toMatchObject(unread)
    expect((await readWith({ trained: [] }, 'documents/sample_scanned.pdf')).warnings).toEqual([
      'Words may stand in pictures on page 1 that were not read.',
      'The PDF has no text layer, and no words were read from its pictures.',
    ])
  })

  test('out of time', async () => {
    expect(await readWith({ trained: findTrainedData(['eng']), recognitionMs: 1 })).toMatchObject(unread)
  })

  test('trained data that is none', async () => {
    const path = await reading.write('xyz.traineddata', 'no trained data at all')
    expect(await readWith({ trained: [{ language: 'xyz', path }] })).toMatchObject(unread)
  })

  test('a picture of chance letters is given up, and the next one is read', async () => {
    const { data, info } = noisyPicture(300, 300)
    const speckled = await sharp(data, { raw: info }).threshold(128).png().toBuffer()
    expect(await read('speckled.png', speckled)).not.toBeInstanceOf(UnreadableFile)
    expect(textOf(await reading.readFixture('images/sample.png'))).toContain('Quarterly Report')
  })

  test('whatever was read before, the same words come out', async () => {
    const first = await reading.readFixture('images/letter_scan.jpg')
    await reading.readFixture('images/screenshot.png')
    expect(await reading.readFixture('images/letter_scan.jpg')).toEqual(first)
    expect(await readWith({ trained: findTrainedData(['eng']) }, 'images/letter_scan.jpg')).toEqual(first)
  })
})
