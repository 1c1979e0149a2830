import { UnreadableFile, UnsupportedFileType } from '@medialog/application/ports/understanding'
import { describe, expect, test } from 'vitest'
import { FORMATS } from './formats.ts'
import { identify } from './sniff.ts'
import { plainDoc } from './testing/doc.ts'
import { readFixture } from './testing/fixtures.ts'

const head = async (name: string): Promise<Uint8Array> => (await readFixture(name)).subarray(0, 8192)
const id3Tag = (length: number): Uint8Array => {
  const tag = Buffer.alloc(length)
  tag.write('ID3\x04')
  tag.set([((length - 10) >> 7) & 0x7f, (length - 10) & 0x7f], 8)
  tag[7] = (length - 10) >> 14
  return tag
}
const text = (words: string): Uint8Array => Buffer.from(words)

const SAMPLES = [
  ['documents/sample.pdf', 'pdf'],
  ['documents/sample.docx', 'docx'],
  ['hostile/bomb.docx', 'docx'],
  ['documents/sample.doc', 'doc'],
  ['documents/sample.rtf', 'rtf'],
  ['spreadsheet/sample.xlsx', 'xlsx'],
  ['hostile/bomb.xlsx', 'xlsx'],
  ['spreadsheet/sample.xls', 'xls'],
  ['spreadsheet/sample.ods', 'ods'],
  ['documents/sample.odt', 'odt'],
  ['presentation/sample.pptx', 'pptx'],
  ['presentation/sample.odp', 'odp'],
  ['documents/sample_cp949.rtf', 'rtf'],
  ['documents/sample.txt', 'txt'],
  ['documents/sample_cp949.txt', 'txt'],
  ['documents/sample_utf16le.txt', 'txt'],
  ['documents/sample.md', 'md'],
  ['data/sample.html', 'html'],
  ['data/sample_euckr.html', 'html'],
  ['data/sample.json', 'json'],
  ['hostile/deep.json', 'json'],
  ['spreadsheet/sample.csv', 'csv'],
  ['spreadsheet/sample.tsv', 'tsv'],
  ['data/sample.xml', 'xml'],
  ['hostile/xxe.xml', 'xml'],
  ['data/sample.hml', 'hml'],
  ['mail_ebook/sample.epub', 'epub'],
  ['mail_ebook/sample.eml', 'eml'],
  ['mail_ebook/sample_euckr.eml', 'eml'],
  ['images/sample.png', 'png'],
  ['images/sample.jpg', 'jpg'],
  ['images/sample.gif', 'gif'],
  ['images/sample.webp', 'webp'],
  ['images/sample_anim.webp', 'webp'],
  ['images/sample.bmp', 'bmp'],
  ['images/sample_pal8_rle.bmp', 'bmp'],
  ['images/sample.tiff', 'tiff'],
  ['images/sample.svg', 'svg'],
  ['images/sample.heic', 'heic'],
  ['images/sample.heif', 'heic'],
  ['audio/sample.mp3', 'mp3'],
  ['audio/sample_vbr_noxing.mp3', 'mp3'],
  ['audio/sample.wav', 'wav'],
  ['audio/sample.flac', 'flac'],
  ['audio/sample.ogg', 'ogg'],
  ['audio/sample_opus.ogg', 'ogg'],
  ['audio/sample.m4a', 'm4a'],
  ['audio/sample.aac', 'aac'],
  ['audio/sample.aiff', 'aiff'],
  ['audio/sample.wma', 'wma'],
  ['video/sample.mp4', 'mp4'],
  ['video/sample_moov_at_end.mp4', 'mp4'],
  ['video/sample.mov', 'mov'],
  ['video/sample.webm', 'webm'],
  ['video/sample.avi', 'avi'],
  ['video/sample.mpeg', 'mpeg'],
  ['video/sample.mpg', 'mpeg'],
  ['video/sample.wmv', 'wmv'],
  ['3d/sample.glb', 'glb'],
  ['3d/sample.obj', 'obj'],
  ['3d/sample.stl', 'stl'],
  ['3d/sample_binary.stl', 'stl'],
  ['3d/sample.ply', 'ply'],
  ['3d/sample_binary.ply', 'ply'],
  ['3d/sample.3mf', '3mf'],
  ['3d/sample.dae', 'dae'],
  ['3d/sample.fbx', 'fbx'],
  ['3d/sample_ascii.fbx', 'fbx'],
] as const

describe('identify', () => {
  test.each(SAMPLES)('%s is %s', async (name, format) => {
    expect(identify(name, await head(name)).name).toBe(format)
    expect(identify(name.toUpperCase(), await head(name)).name).toBe(format)
  })

  test.each([
    'pdf',
    'docx',
    'png',
    'jpg',
    'mp3',
    'wav',
    'glb',
    'html',
    'xml',
    'hml',
    'eml',
    'epub',
    'rtf',
    'odt',
    'odp',
    'pptx',
    'xlsx',
    'xls',
    'ods',
  ])('%s is told under any name', async (format) => {
    const [name] = SAMPLES.find(([, sampleFormat]) => sampleFormat === format)!
    for (const filename of ['report.txt', 'report.xyz', 'report', 'report.jpeg', 'report.docx'])
      expect(identify(filename, await head(name)).name).toBe(format)
  })

  test.each(SAMPLES.filter(([name]) => /^(?:audio|video)/.test(name)))(
    '%s is %s under any other name too',
    async (name, format) => {
      for (const filename of ['a.txt', 'a', 'a.jpeg', 'a.docx', 'a.mp3', 'a.mp4', 'a.wmv'])
        expect(identify(filename, await head(name)).name).toBe(format)
    },
  )

  test.each(['gif', 'webp', 'bmp', 'tiff', 'svg', 'heic', 'stl', 'ply', '3mf', 'dae', 'fbx'])(
    '%s is told under any name',
    async (format) => {
      const [name] = SAMPLES.find(([, sampleFormat]) => sampleFormat === format)!
      for (const filename of ['picture.txt', 'picture', 'picture.jpeg', 'picture.obj'])
        expect(identify(filename, await head(name)).name).toBe(format)
    },
  )

  test.each([
    ['a comment, an instruction and a document type', '<?xml version="1.0"?>\n<!-- a > b --><?x y?>'],
    ['a document type with entities', '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" [<!ENTITY a "b">]>'],
    ['a prefix', '<s:svg xmlns:s="http://www.w3.org/2000/svg"/>'],
  ])('SVG after %s', (_, start) => {
    expect(identify('drawing', text(`${start}<svg width="1"/>`)).name).toBe('svg')
  })

  test('a page with an XML declaration and without its root, and such XML of its own', () => {
    const page = text('<?xml version="1.0" encoding="iso-8859-1"?><link href="x" /><title>Ferries</title>')
    expect(identify('page.html', page).name).toBe('html')
    expect(identify('page.xml', page).name).toBe('xml')
    expect(identify('php.html', text('<?xml encoding="UTF-8"><p>Ferries</p>')).name).toBe('html')
    expect(identify('a.md', text('<link href="x" />')).name).toBe('md')
  })

  test('a bitmap whose reserved bytes are in use, as OS/2 has them', async () => {
    const bitmap = Buffer.from(await readFixture('images/sample.bmp'))
    bitmap.writeUInt32LE(0x380029, 6)
    expect(identify('drawing', bitmap.subarray(0, 8192)).name).toBe('bmp')
  })

  test('prose about bitmaps is no bitmap, and XML of another kind no drawing', () => {
    expect(identify('a.txt', text('BM is how a bitmap starts.')).name).toBe('txt')
    expect(identify('a.txt', text('<?xml version="1.0"?><list><svg/></list>')).name).toBe('xml')
  })

  test.each([
    ['notes.xyz', text('plain words'), /type \.xyz .* plain text/],
    ['notes', text('plain words'), /no extension/],
    ['picture.png', text('plain words'), /named \.png, but its content is plain text/],
    [
      'report.pdf',
      Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
      /no known type/,
    ],
    ['notes.txt', Buffer.from([0x4d, 0x5a, 0x90, 0, 3, 0, 0, 0, 4, 0, 0, 0]), /no known type/],
    ['archive.txt', Buffer.from('PK\x03\x04' + '\0'.repeat(60), 'latin1'), /zip archive/],
  ])('%s is refused', (filename, bytes, reason) => {
    expect(() => identify(filename, bytes)).toThrow(UnsupportedFileType)
    expect(() => identify(filename, bytes)).toThrow(reason)
  })

  test('a head made to mislead the search for <html> takes no time', () => {
    const started = performance.now()
    expect(identify('a.md', text('<!-- -->'.repeat(1000) + '<p>')).name).toBe('md')
    expect(identify('a.md', text('<!-- -->\n'.repeat(900) + '<HTML>')).name).toBe('html')
    expect(performance.now() - started).toBeLessThan(500)
  })

  test.each(['flac', 'aac', 'mp3'])('%s behind a tag is told as far as the head shows it', async (format) => {
    const sound = await readFixture(`audio/sample.${format}`)
    const behind = (length: number): Uint8Array =>
      Buffer.concat([id3Tag(length), format === 'mp3' ? sound.subarray(45) : sound]).subarray(0, 8192)
    expect(identify('a.xyz', behind(300)).name).toBe(format)
    expect(identify(`a.${format}`, behind(30_000)).name).toBe(format)
    expect(identify('a.xyz', behind(30_000)).name).toBe('mp3')
  })

  test('MPEG-4 that lists no pictures is a recording whatever its brand and name', () => {
    const brand = '\0\0\0\x14ftypisom\0\0\0\0mp41'
    const tracks = (header: string): Uint8Array =>
      Buffer.from(`${brand}\0\0\0\x14moov\0\0\0\x0c${header}\0\0\0\0`, 'latin1')
    expect(identify('a.mp4', tracks('smhd')).name).toBe('m4a')
    expect(identify('a.m4a', tracks('vmhd')).name).toBe('mp4')
  })

  test('MPEG-4 and ASF whose tracks are out of sight are what they are called, else videos', async () => {
    const late = await head('video/sample_moov_at_end.mp4')
    expect(identify('a.m4a', late).name).toBe('m4a')
    expect(identify('a.xyz', late).name).toBe('mp4')
    const long = Buffer.from(await head('audio/sample.wma'))
    long.writeUInt32LE(100_000, 16)
    expect(identify('a.wma', long).name).toBe('wma')
    expect(identify('a.xyz', long).name).toBe('wmv')
  })

  test('QuickTime from before there were brands, and MPEG pictures without a stream around them', async () => {
    const brandless = (await head('video/sample.mov')).subarray(20)
    expect(identify('a.xyz', brandless).name).toBe('mov')
    expect(identify('a.xyz', Buffer.from('000001b31400b4130000', 'hex')).name).toBe('mpeg')
  })

  test.each([
    ['a picture of a kind that is not read', '\0\0\0\x18ftypavif\0\0\0\0mif1avif', 'a.mp4'],
    ['Matroska of another kind', '\x1aE\xdf\xa3\x8bB\x82\x88matroska', 'a.webm'],
    ['video in Ogg', `OggS${'\0'.repeat(24)}\x80theora`, 'a.ogg'],
  ])('%s is none of these', (_, bytes, filename) => {
    expect(() => identify(filename, Buffer.from(bytes, 'latin1'))).toThrow(UnsupportedFileType)
  })

  test('a head made to mislead the search for <svg> takes no time', () => {
    const started = performance.now()
    expect(identify('a.md', text('<!-- --><?x?> '.repeat(580))).name).toBe('md')
    expect(identify('a.md', text(`<!DOCTYPE ${'[]'.repeat(4000)}`)).name).toBe('md')
    expect(performance.now() - started).toBeLessThan(500)
  })

  test('binary STL, which has no mark, is known by its name, and no other bytes are', async () => {
    const model = await head('3d/sample_binary.stl')
    expect(() => identify('model.xyz', model)).toThrow(UnsupportedFileType)
    const noise = Uint8Array.from({ length: 1000 }, (_, index) => (index * 7919) % 256)
    expect(() => identify('model.stl', noise)).toThrow(UnsupportedFileType)
    expect(() => identify('model.stl', text('a solid piece of prose'))).toThrow(/plain text/)
  })

  test('a container whose mimetype part is not as it should be is what its name says', async () => {
    const compressed = Buffer.from(await head('mail_ebook/sample.epub'))
    compressed[8] = 8
    expect(identify('book.epub', compressed).name).toBe('epub')
    const other = Buffer.from(await head('mail_ebook/sample.epub'))
    other.write('application/x-other', 38)
    expect(() => identify('book.epub', other)).toThrow(UnsupportedFileType)
  })

  test('prose that begins like a letter is no mail', () => {
    const letter = 'To: all of you\nSubject: dinner\n\nDate: tonight. Message-ID: none.\n'
    expect(identify('letter.txt', text(letter)).name).toBe('txt')
    expect(identify('letter.eml', text(letter)).name).toBe('eml')
    expect(identify('letter.txt', text(`Received: today\n${letter}`)).name).toBe('eml')
  })

  test('an empty file is corrupted whatever its name', () => {
    expect(() => identify('a.xyz', new Uint8Array())).toThrow(UnreadableFile)
  })

  test('a locked document keeps its name’s format, so that its reader can say it is locked', () => {
    const compound = Buffer.from('d0cf11e0a1b11ae1' + '00'.repeat(504), 'hex')
    expect(identify('secret.docx', compound).name).toBe('docx')
    expect(() => identify('secret.xyz', compound)).toThrow(/OLE compound file/)
  })

  test('a compound file whose streams are out of sight is what its name says', () => {
    const compound = Buffer.from('d0cf11e0a1b11ae1' + '00'.repeat(504), 'hex')
    expect(identify('old.doc', compound).name).toBe('doc')
    expect(identify('old.xls', compound).name).toBe('xls')
    expect(identify('report.xls', plainDoc(['words'])).name).toBe('doc')
    expect(identify('report', plainDoc(['words'])).name).toBe('doc')
  })

  test('what is given out is plain data', async () => {
    const format = identify('a.mp3', await head('audio/sample.mp3'))
    expect(structuredClone(format)).toEqual(format)
    expect(format).toEqual({
      name: 'mp3',
      mediaType: 'audio',
      mimeType: 'audio/mpeg',
      extensions: ['mp3'],
      maxBytes: 50_000_000,
      maxSeconds: 600,
    })
  })
})

describe('the table', () => {
  test('no name and no extension stands twice', () => {
    const names = FORMATS.map(({ name }) => name)
    const extensions = FORMATS.flatMap(({ extensions }) => extensions)
    expect(new Set(names).size).toBe(names.length)
    expect(new Set(extensions).size).toBe(extensions.length)
  })

  test('every row loads an extractor', async () => {
    for (const row of FORMATS) expect((await row.load()).extract).toBeTypeOf('function')
  })
})
