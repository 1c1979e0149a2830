import type { ImageFacts, Extraction } from '@medialog/application/ports/understanding'
import sharp from 'sharp'
import { afterAll, describe, expect, test } from 'vitest'
import { bitmap } from '../testing/bmp.ts'
import { readFixture } from '../testing/fixtures.ts'
import { startReading, type Outcome } from '../testing/reading.ts'

const reading = await startReading()
const { read } = reading
afterAll(() => reading.close())

const colors = (outcome: Outcome): string[] =>
  ((outcome as Extraction).facts as ImageFacts).dominantColors.map(({ hex }) => hex)

const svg = (inside: string, attributes = 'width="100" height="50"'): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${inside}</svg>`

describe('EXIF and orientation', () => {
  const EXIF = { IFD0: { Make: 'TestCam', Artist: 'Hong Gildong', ImageDescription: 'A red plain' } }
  const plain = { create: { width: 40, height: 20, channels: 3, background: '#C83232' } } as const

  test.each(['webp', 'tiff', 'png'] as const)('%s', async (format) => {
    const bytes = await sharp(plain)
      .withExif(EXIF)
      .withMetadata({ orientation: 6 })
      .toFormat(format)
      .toBuffer()
    expect(await read(`turned.${format}`, bytes)).toMatchObject({
      facts: { width: 20, height: 40, colorMode: 'RGB', exif: { Orientation: 6 } },
    })
    const described = await sharp(plain).withExif(EXIF).toFormat(format).toBuffer()
    if (format !== 'tiff')
      expect(await read(`described.${format}`, described)).toMatchObject({
        title: 'A red plain',
        author: 'Hong Gildong',
        facts: { exif: { Make: 'TestCam' } },
      })
  })

  test('how a TIFF stores its pixels is not among it', async () => {
    const { exif } = (await reading.readFixture('images/sample.tiff')).facts as ImageFacts
    expect(Object.keys(exif)).toEqual(['Orientation'])
  })
})

describe('a TIFF', () => {
  const plain = sharp({ create: { width: 40, height: 20, channels: 3, background: '#C83232' } })

  test('with sizes of 8 bytes is read as any other', async () => {
    const bytes = await plain.clone().tiff({ bigtiff: true, compression: 'none' }).toBuffer()
    expect(bytes.readUInt16LE(2)).toBe(43)
    const outcome = await read('big.tif', bytes)
    expect(outcome).toMatchObject({ facts: { width: 40, height: 20, colorMode: 'RGB' }, warnings: [] })
    expect(colors(outcome)).toEqual(['#C83232'])
  })

  test.each([
    ['a compression', 259, 34_925, /LZMA compression/],
    ['samples', 258, 12, /whole number of bytes/],
  ])('in %s that is not read is not called damaged', async (_, tag, value, message) => {
    const bytes = await plain.clone().toColourspace('b-w').tiff({ compression: 'deflate' }).toBuffer()
    const entries = bytes.readUInt32LE(4)
    for (let n = 0, at = entries + 2; n < bytes.readUInt16LE(entries); n++, at += 12)
      if (bytes.readUInt16LE(at) === tag) bytes.writeUInt16LE(value, at + 8)
    const outcome = await read('odd.tif', bytes)
    expect(outcome).toMatchObject({ reason: 'corrupted', message: expect.stringMatching(message) })
    expect(outcome).toMatchObject({ message: expect.stringContaining('in a way that is not read') })
  })
})

describe('bitmaps', () => {
  const RED = [0xc8, 0x32, 0x32] as const
  const BLUE = [0x28, 0x50, 0xb4] as const

  test.each([1, 4, 8, 16, 24, 32] as const)('of %i bits', async (bits) => {
    const rows = [...Array.from({ length: 6 }, () => RED), ...Array.from({ length: 4 }, () => BLUE)]
    const outcome = await read('rows.bmp', bitmap({ bits, width: 7, rows }))
    expect(outcome).toMatchObject({
      facts: { width: 7, height: 10, colorMode: bits <= 8 ? 'Palette' : 'RGB' },
    })
    // 5 bits a channel, spread over 8.
    expect(colors(outcome)).toEqual(bits === 16 ? ['#CE3131', '#2952B5'] : ['#C83232', '#2850B4'])
  })

  test('stored from the top down', async () => {
    const bytes = bitmap({ bits: 24, width: 3, rows: [RED, RED, BLUE] })
    bytes.writeInt32LE(-3, 22)
    expect(await read('down.bmp', bytes)).toMatchObject({ facts: { width: 3, height: 3 } })
  })

  test.each([
    ['no size', 18, 0, /states no size/],
    ['a size beyond its data', 22, 5000, /to the end/],
    ['impossible bits', 28, 7, /contradicts itself/],
    ['an unknown packing', 30, 99, /contradicts itself/],
    ['a JPEG inside', 30, 4, /another format/],
    ['a header longer than the file', 14, 0xffff00, /contradicts itself|type/],
  ])('with %s', async (_, offset, value, message) => {
    const bytes = bitmap({ bits: 24, width: 3, rows: [RED, RED, BLUE] })
    if (offset === 28) bytes.writeUInt16LE(value, offset)
    else bytes.writeUInt32LE(value, offset)
    if (offset === 14) bytes.writeUInt32LE(200, 14)
    expect(await read('bad.bmp', bytes)).toMatchObject({
      reason: 'corrupted',
      message: expect.stringMatching(message),
    })
  })

  test('packed, whose end mark is missing', async () => {
    const bytes = Buffer.from(await readFixture('images/sample_pal8_rle.bmp'))
    const whole = await read('whole.bmp', bytes)
    const end = bytes.lastIndexOf(Buffer.from([0, 1]))
    expect(await read('unmarked.bmp', bytes.subarray(0, end))).toMatchObject({
      facts: (whole as Extraction).facts,
    })
    expect(await read('cut.bmp', bytes.subarray(0, end - 200))).toMatchObject({ reason: 'corrupted' })
  })
})

describe('animations', () => {
  test.each([
    ['images/sample.gif', 0.97],
    ['images/sample_anim.webp', 0.66],
  ])('%s cut in its last frame is damaged', async (name, share) => {
    const bytes = await readFixture(name)
    expect(await read(name.split('/')[1]!, bytes.subarray(0, bytes.length * share))).toMatchObject({
      reason: 'corrupted',
    })
  })

  test('a GIF without the mark at its end is whole', async () => {
    const bytes = await readFixture('images/sample.gif')
    expect(await read('unmarked.gif', bytes.subarray(0, -1))).toMatchObject({ facts: { frameCount: 3 } })
  })
})

describe('SVG', () => {
  test.each([
    ['viewBox="0 0 24 12"', 24, 12],
    ['width="2in" height="25.4mm"', 192, 96],
    ['width="100" viewBox="0 0 10 5"', 100, 50],
    ['width="100%" height="100%" viewBox="0 0 30 40"', 30, 40],
    ['', 300, 150],
  ])('size of <svg %s>', async (attributes, width, height) => {
    expect(await read('size.svg', svg('<rect width="1" height="1"/>', attributes))).toMatchObject({
      facts: { width, height },
    })
  })

  test.each(['width="0" height="10"', 'viewBox="0 0 1e30 1"', 'width="-3" height="5"'])(
    '<svg %s> could not be shown',
    async (attributes) => {
      expect(await read('size.svg', svg('', attributes))).toMatchObject({ reason: 'corrupted' })
    },
  )

  test('words: spans placed anew are lines, tooltips and descriptions count, styles and scripts do not', async () => {
    const outcome = await read(
      'words.svg',
      svg(
        '<metadata><rdf:RDF><cc:Work><dc:creator><cc:Agent><dc:title>Hong Gildong</dc:title></cc:Agent></dc:creator>' +
          '<dc:title>Plan</dc:title></cc:Work></rdf:RDF></metadata><style>.a{fill:#C83232}</style><script>alert(1)</script>' +
          '<g><title>A tooltip</title><rect class="a" width="100" height="50"/></g>' +
          '<text>one <tspan x="1" dy="12">two &amp; 셋</tspan></text><text><![CDATA[<three>]]></text>',
      ),
    )
    expect(outcome).toMatchObject({
      title: 'Plan',
      author: 'Hong Gildong',
      text: 'A tooltip\n\none\ntwo & 셋\n\n<three>',
    })
    expect(colors(outcome)).toEqual(['#C83232'])
  })

  test('nothing outside is looked at, places inside are', async () => {
    const secret = await reading.write(
      'secret.svg',
      svg('<rect id="r" width="100" height="50" fill="#00FF00"/>'),
    )
    const outcome = await read(
      'links.svg',
      svg(
        `<style>@import url("file://${secret}"); .b{fill:url(file://${secret}#r)}</style>` +
          `<image href="file://${secret}" width="100" height="50"/><use href="${secret}#r"/>` +
          '<image xlink:href="secret.svg" width="100" height="50"/><rect class="b" width="100" height="50"/>' +
          '<defs><linearGradient id="g"><stop stop-color="#2850B4"/></linearGradient></defs>' +
          '<rect width="100" height="50" fill="url(#g)"/>',
      ),
    )
    expect(colors(outcome)).toEqual(['#2850B4'])
  })

  test('links without an end take no time', async () => {
    const outcome = await read('open.svg', svg(`<style>${'url(x '.repeat(500_000)}</style>`))
    expect(outcome).toMatchObject({ facts: { width: 100, height: 50 } })
  })

  test('an embedded picture is drawn', async () => {
    const png = await sharp({ create: { width: 2, height: 1, channels: 3, background: '#C83232' } })
      .png()
      .toBuffer()
    const outcome = await read(
      'embedded.svg',
      svg(`<image xlink:href="data:image/png;base64,${png.toString('base64')}" width="100" height="50"/>`),
    )
    expect(colors(outcome)).toEqual(['#C83232'])
  })

  test('entities stay as they are written', async () => {
    const extraction = await reading.readFixture('hostile/billion_laughs.svg')
    expect(extraction.text.length).toBeLessThan(100)
    const xxe = `<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/hostname"><!ENTITY y "<b><c>">]>${svg('<text>&x;&y;</text>')}`
    expect(await read('xxe.svg', xxe)).toMatchObject({ text: '&x;&y;' })
  })

  test('links to nowhere leave an empty drawing', async () => {
    const extraction = await reading.readFixture('hostile/svg_external.svg')
    expect(extraction).toMatchObject({ text: '', facts: { width: 100, height: 100, dominantColors: [] } })
  })

  test.each([
    ['deep', svg('<g>'.repeat(100_000) + '</g>'.repeat(100_000)), 'too-large'],
    ['cut', svg('<g><rect/>').slice(0, -10), 'corrupted'],
    ['no drawing', '<?xml version="1.0"?><list><item/></list>', 'corrupted'],
  ])('%s', async (_, text, reason) => {
    expect(await read('bad.svg', text)).toMatchObject({ reason })
  })

  test('what refers to itself again and again ends', async () => {
    const layers = Array.from(
      { length: 20 },
      (_, n) => `<g id="l${n + 1}">${`<use href="#l${n}"/>`.repeat(10)}</g>`,
    )
    const bomb = svg(`<defs><rect id="l0" width="9" height="9"/>${layers.join('')}</defs><use href="#l20"/>`)
    expect(await read('bomb.svg', bomb)).toMatchObject({
      warnings: [expect.stringContaining('could not be drawn')],
      facts: { width: 100, height: 50, dominantColors: [] },
    })
  })

  const layers = (layer: (inside: string, n: number) => string): string =>
    Array.from({ length: 20 }, (_, n) => layer('<rect width="9" height="9"/>'.repeat(10), n)).join('')
  const pattern = (n: number, inside: string): string =>
    `<pattern id="p${n}" width="9" height="9" patternUnits="userSpaceOnUse">${inside}</pattern>`

  test.each([
    [
      'by rules of a style sheet',
      `<style>${layers((_, n) => `.s${n} { fill: url(#p${n}) }`)}</style>` +
        layers((shapes, n) => pattern(n + 1, shapes.replaceAll('<rect', `<rect class="s${n}"`))),
      '<rect class="s20" width="99" height="49"/>',
    ],
    [
      'by rules whose selectors say more, and a comment',
      `<style>${layers((_, n) => `@media all { /* {} */ g > rect[width].s${n}:not(.x) { fill: URL("#p${n}") } }`)}</style>` +
        layers((shapes, n) => pattern(n + 1, shapes.replaceAll('<rect', `<rect class="s${n}"`))),
      '<rect fill="url(#p20)" width="99" height="49"/>',
    ],
    [
      'by what they inherit',
      layers((shapes, n) => pattern(n + 1, `<g fill="url(#p${n})">${shapes}</g>`)),
      '<g style="fill: url(#p20)"><rect width="99" height="49"/></g>',
    ],
    [
      'at each corner',
      layers(
        (_, n) =>
          `<marker id="m${n + 1}"><path marker-mid="url(#m${n})" d="M0 0${'h1v1'.repeat(10)}"/></marker>`,
      ),
      `<path marker-mid="url(#m20)" d="M0 0${'h1v1'.repeat(10)}"/>`,
    ],
    [
      'by escapes',
      layers((shapes, n) => pattern(n + 1, shapes.replaceAll('<rect', `<rect fill="u\\72l(#p${n})"`))),
      '<rect fill="url(#p20)" width="99" height="49"/>',
    ],
  ])('patterns in patterns, referred to %s, are not drawn', async (_, defined, shown) => {
    expect(await read('patterns.svg', svg(`<defs>${defined}</defs>${shown}`))).toMatchObject({
      warnings: [expect.stringContaining('could not be drawn')],
      facts: { dominantColors: [] },
    })
  })

  test('a drawing coloured by its style sheet is drawn', async () => {
    const drawing = svg(
      '<style>/* by hand */ .a, g &gt; rect { fill: url(#g) } #b { mask: url(#m) }</style>' +
        '<defs><linearGradient id="g"><stop stop-color="#2850B4"/></linearGradient>' +
        '<mask id="m"><rect width="100" height="50" fill="white"/></mask></defs>' +
        `<g id="b">${'<rect class="a" width="100" height="50"/>'.repeat(5_000)}</g>`,
    )
    const outcome = await read('styled.svg', drawing)
    expect(outcome).toMatchObject({ warnings: [] })
    expect(colors(outcome)).toEqual(['#2850B4'])
  })

  test('a drawing that uses its parts many times is drawn', async () => {
    const dots = Array.from({ length: 500 }, (_, n) => `<use href="#row" y="${n / 10}"/>`)
    const row = `<g id="row">${'<use href="#dot"/>'.repeat(50)}</g>`
    const drawing = svg(
      `<defs><rect id="dot" width="100" height="1" fill="#C83232"/>${row}</defs>${dots.join('')}`,
    )
    const outcome = await read('dots.svg', drawing)
    expect(outcome).toMatchObject({ warnings: [] })
    expect(colors(outcome)).toEqual(['#C83232'])
  })
})
