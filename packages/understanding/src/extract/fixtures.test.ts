import type { Extraction, ImageFacts } from '@medialog/application/ports/understanding'
import { afterAll, describe, expect, test } from 'vitest'
import { findTrainedData } from '../ocr/trained-data.ts'
import { ExtractorPool } from '../pool/pool.ts'
import { fixtureFile, fixturesIn } from '../testing/fixtures.ts'

const pool = new ExtractorPool({ concurrency: 2, trained: findTrainedData(['eng']) })
afterAll(() => pool.close())

const read = async (name: string): Promise<Extraction> =>
  (await pool.extract(await fixtureFile(name))).extraction
const extractions = new Map<string, Promise<Extraction>>()
/** Each fixture is read once. */
function extract(name: string): Promise<Extraction> {
  const extraction = extractions.get(name) ?? read(name)
  extractions.set(name, extraction)
  return extraction
}

const outline = ({ sections }: Extraction): string[] =>
  sections.map(({ title, level }) => `${title}(${level})`)
const tables = (extraction: Extraction): string[] =>
  extraction.tables.map(({ rows, columns }) => `${rows}x${columns}`)

describe('documents', () => {
  test.each([
    'documents/sample.pdf',
    'documents/sample.docx',
    'documents/sample.odt',
    'documents/sample.doc',
    'hostile/encrypted_owner_only.pdf',
  ])('%s', async (name) => {
    const report = await extract(name)
    expect(report).toMatchObject({
      title: 'Annual Report 2024',
      author: 'Hong Gildong',
      figureCount: 1,
      truncated: false,
    })
    expect(report.language).toMatch(/^en/)
    expect(report.facts).toMatchObject({ mediaType: 'document', pageCount: 2, wordCount: 49 })
    expect(outline(report)).toEqual(['Introduction(1)', 'Background(2)', 'Results(1)', 'Conclusion(2)'])
    expect(tables(report)).toEqual(['3x2'])
    expect(report.text).toContain('안녕하세요 세계')
    expect(report.text).toContain('Revenue grew by twelve percent.')
    expect(report.warnings).toEqual([])
  })

  test('RTF says the same, but not how many pages it has', async () => {
    const [rtf, docx] = [await extract('documents/sample.rtf'), await extract('documents/sample.docx')]
    expect(rtf).toEqual({
      ...docx,
      format: 'rtf',
      language: 'en',
      text: expect.any(String),
      sections: expect.any(Array),
      tables: expect.any(Array),
      facts: { ...docx.facts, pageCount: null },
    })
    expect(outline(rtf)).toEqual(outline(docx))
    expect(tables(rtf)).toEqual(['3x2'])
    expect(rtf.text.replace(/\s+/g, ' ')).toBe(docx.text.replace(/\s+/g, ' '))
  })

  test('RTF in CP949: bytes of two, Unicode with fallbacks, pages', async () => {
    const rtf = await extract('documents/sample_cp949.rtf')
    expect(rtf).toMatchObject({
      title: '연차 보고서',
      author: '홍길동',
      language: 'ko',
      figureCount: 1,
      facts: { pageCount: 3 },
    })
    expect(outline(rtf)).toEqual(['제1장 서론(1)'])
    expect(tables(rtf)).toEqual(['1x2'])
    expect(rtf.text).toBe('제1장 서론\n\n본문 문단입니다. Unicode 가나 end.\n\nA | 값')
  })

  test.each([
    ['documents/sample.txt', 'utf-8', 1],
    ['documents/sample_cp949.txt', 'euc-kr', 3],
    ['documents/sample_utf16le.txt', 'utf-16le', 1],
  ])('%s is %s', async (name, encoding, times) => {
    const text = await extract(name)
    expect(text.facts).toMatchObject({ encoding, wordCount: 13 * times })
    expect(text.text.match(/안녕하세요 세계, 한글 문단입니다\./g)).toHaveLength(times)
    expect(text.sections).toEqual([])
  })

  test('Markdown', async () => {
    const markdown = await extract('documents/sample.md')
    expect(markdown).toMatchObject({ title: 'Annual Report 2024', author: 'Hong Gildong', figureCount: 1 })
    expect(outline(markdown)).toEqual(['Introduction(1)', 'Background(2)', 'Results(1)'])
    expect(tables(markdown)).toEqual(['2x2'])
    expect(markdown.text).toContain('# not a heading')
    expect(markdown.listings!.map(({ start, end }) => markdown.text.slice(start, end))).toEqual([
      '# not a heading',
    ])
    expect(markdown.text).toContain('Text with bold 한글.')
    expect(markdown.text).not.toContain('Hong Gildong')
  })

  test.each([
    ['data/sample.html', 'utf-8', 'café naïve'],
    ['data/sample_euckr.html', 'euc-kr', 'cafe naive'],
  ])('%s', async (name, encoding, words) => {
    const page = await extract(name)
    expect(page).toMatchObject({
      title: 'Annual Report 2024',
      author: 'Hong Gildong',
      language: 'en',
      figureCount: 1,
    })
    expect(page.facts).toMatchObject({ encoding })
    expect(outline(page)).toEqual([
      'Annual Report 2024(1)',
      'Introduction(2)',
      'Background(2)',
      'Results(2)',
      'Conclusion(2)',
    ])
    expect(tables(page)).toEqual(['2x2'])
    expect(page.text).toContain('안녕하세요 세계')
    expect(page.text).toContain(words)
    expect(page.text).toContain('Chart one')
    for (const noise of ['SCRIPTTEXT', 'Copyright footer', 'color:red', 'Other'])
      expect(page.text).not.toContain(noise)
  })

  test('CSV: rows as lines, quoted commas and line ends inside cells', async () => {
    const csv = await extract('spreadsheet/sample.csv')
    expect(tables(csv)).toEqual(['4x3'])
    expect(csv.text.split('\n')).toEqual([
      'Quarter | Revenue | Note',
      'Q1 | 100 | quoted, comma',
      'Q2 | 112 | two lines',
      'Q3 | | 한글',
    ])
  })

  test('CSV: semicolons and EUC-KR are found out', async () => {
    const csv = await extract('spreadsheet/sample_euckr_semicolon.csv')
    expect(tables(csv)).toEqual(['3x3'])
    expect(csv).toMatchObject({ language: 'ko', facts: { encoding: 'euc-kr' } })
    expect(csv.text).toContain('1분기 | 100 | 안녕하세요 세계')
  })

  test('TSV', async () => {
    const tsv = await extract('spreadsheet/sample.tsv')
    expect(tables(tsv)).toEqual(['3x3'])
    expect(tsv.text.split('\n')).toEqual(['Quarter | Revenue | Note', 'Q1 | 100 | ok', 'Q2 | 112 | 한글'])
  })

  test('XML: mixed content, entities, CDATA, headings of sections', async () => {
    const xml = await extract('data/sample.xml')
    expect(xml).toMatchObject({ title: 'Annual Report 2024', facts: { encoding: 'utf-8' }, warnings: [] })
    expect(outline(xml)).toEqual(['Introduction(1)', 'Background(2)'])
    expect(xml.text).toBe(
      'Annual Report 2024\n\nIntroduction\n\nMixed bold text & entity 한글.\n\nBackground\n\nraw <cdata> text',
    )
  })

  test('HML: outline styles, tables, pictures', async () => {
    const hml = await extract('data/sample.hml')
    expect(hml).toMatchObject({
      title: '연차 보고서 2024',
      author: '홍길동',
      language: 'ko',
      figureCount: 1,
      facts: { encoding: 'utf-8' },
      warnings: [],
    })
    expect(outline(hml)).toEqual(['제1장 서론(1)', '배경(2)', '제2장 결론(1)'])
    expect(tables(hml)).toEqual(['2x2'])
    expect(hml.text).toContain('Revenue grew by 12 & more.')
    expect(hml.text).toContain('분기 | 매출\n1분기 | 100')
    expect(hml.text.endsWith('전망은 안정적이다.')).toBe(true)
  })

  test('e-mail: people, subject, plain text rather than HTML, attachments', async () => {
    const mail = await extract('mail_ebook/sample.eml')
    expect(mail).toMatchObject({ title: '2024 연차 보고서', author: '홍길동', figureCount: 1, warnings: [] })
    expect(mail.sections).toMatchObject([
      { title: '2024 연차 보고서', level: 1, contentType: 'message' },
      { title: '그림.png', level: 1, contentType: 'attachment' },
      { title: 't.csv', level: 1, contentType: 'attachment' },
    ])
    expect(mail.text).toMatch(
      /그림\.png\n\nQuarterly Report\n.*\n\nA landscape PNG image of 160 × 100 pixels/,
    )
    expect(tables(mail)).toEqual(['2x2'])
    expect(mail.text).toContain(
      'From: 홍길동 <hong@example.com>\nTo: Kim <kim@example.com>, lee@example.com\nDate: Mon, 06 May 2024 07:08:09 +0900',
    )
    expect(mail.text).toContain('Plain body. 안녕하세요.\nSee the attached picture.')
    expect(mail.text).toContain('Attachments: 그림.png, t.csv')
    expect(mail.text.slice(mail.tables[0]!.start)).toBe('a | b\n1 | 2')
    expect(mail.text).not.toContain('HTML body')
  })

  test('e-mail in EUC-KR', async () => {
    const mail = await extract('mail_ebook/sample_euckr.eml')
    expect(mail).toMatchObject({ title: '회의 안내', author: '홍길동', facts: { encoding: 'euc-kr' } })
    expect(mail.text).toContain('회의는 내일입니다.')
  })

  test('EPUB: chapters in the order of the spine, not of the manifest', async () => {
    const book = await extract('mail_ebook/sample.epub')
    expect(book).toMatchObject({
      title: 'Sample Book',
      author: 'Hong Gildong',
      language: 'ko',
      figureCount: 1,
      warnings: [],
    })
    expect(outline(book)).toEqual(['Chapter One(1)', 'Background(2)', 'Chapter Two(1)'])
    expect(tables(book)).toEqual(['1x2'])
    expect(book.text).toContain('First text 한글.\n\nBackground\n\nMore text.')
    expect(book.text).not.toContain('Contents')
  })

  test.each(['presentation/sample.pptx', 'presentation/sample.odp'])('%s', async (name) => {
    const deck = await extract(name)
    expect(deck).toMatchObject({
      title: 'Deck 2024',
      author: 'Hong Gildong',
      figureCount: 1,
      facts: { pageCount: 3 },
      language: 'en-US',
      warnings: [],
    })
    expect(deck.sections.map(({ title, contentType }) => `${contentType} ${title}`)).toEqual([
      'slide Kickoff deck',
      'slide Numbers',
      'slide Picture',
    ])
    expect(tables(deck)).toEqual(['1x2'])
    expect(deck.text).toContain('Kickoff deck\n\nFirst slide body 한글\n\nNotes: Speaker note 1\n\nNumbers')
    expect(deck.text.match(/Speaker note \d/g)).toHaveLength(3)
  })

  test.each(['spreadsheet/sample.xlsx', 'spreadsheet/sample.xls', 'spreadsheet/sample.ods'])(
    '%s: a section and a table for each sheet, values of formulas, dates',
    async (name) => {
      const book = await extract(name)
      expect(book).toMatchObject({ title: 'Sheets 2024', author: 'Hong Gildong', warnings: [] })
      expect(book.sections).toMatchObject([
        { title: 'Revenue', level: 1, contentType: 'sheet' },
        { title: 'Stock', level: 1, contentType: 'sheet' },
      ])
      expect(tables(book)).toEqual(['4x4', '3x2'])
      expect(book.text.split('\n')).toEqual([
        'Revenue',
        '',
        'Quarter | Revenue | Date | 이름',
        'Q1 | 100 | 2024-01-31 | 홍길동',
        'Q2 | 112 | 2024-04-30 | 김철수',
        'Sum | 212 | 2024-12-31 | 합계',
        '',
        'Stock',
        '',
        'Item | Count',
        'apple | 3',
        'pear, green | 4',
      ])
    },
  )

  test('JSON: keys and values as words, numbers with all their digits', async () => {
    const json = await extract('data/sample.json')
    expect(json.title).toBe('Annual Report 2024')
    expect(json.text).toBe(
      'title: Annual Report 2024\n\nsections\n\nheading: Introduction\ntext: 한글 text\n\n' +
        'heading: Background\ntext: more\nn: 12345678901234567890\n\nok: true',
    )
  })

  test('sections and tables start where they say', async () => {
    for (const name of [
      'documents/sample.pdf',
      'documents/sample.docx',
      'documents/sample.doc',
      'documents/sample.odt',
      'documents/sample.rtf',
      'documents/sample.md',
      'data/sample.html',
    ]) {
      const { text, sections, tables } = await extract(name)
      for (const { title, start } of sections) expect(text.slice(start, start + title.length)).toBe(title)
      for (const { start } of tables) expect(text.slice(start, start + 7)).toBe('Quarter')
    }
  })
})

describe('images', () => {
  const facts = async (name: string): Promise<ImageFacts> => (await extract(name)).facts as ImageFacts

  test.each([
    ['images/sample.png', 'Palette'],
    ['images/sample.jpg', 'RGB'],
  ])('%s', async (name, colorMode) => {
    const picture = await facts(name)
    expect(picture).toMatchObject({ width: 640, height: 400, colorMode })
    const [red, blue, white] = picture.dominantColors
    expect(red).toMatchObject({ name: 'red', hex: expect.stringMatching(/^#C8323/) })
    expect(blue).toMatchObject({ name: 'blue', hex: expect.stringMatching(/^#28(50|4F)B4$/) })
    expect(white).toMatchObject({ name: 'white', hex: '#FFFFFF' })
    // Black words stand on the red band, and their soft edges are of no band's colour.
    expect(red!.share).toBeGreaterThan(0.5)
    expect(red!.share).toBeLessThanOrEqual(0.6)
    expect(blue!.share).toBeCloseTo(0.3, 1)
    expect(white!.share).toBeLessThan(0.2)
  })

  test.each([
    ['images/sample.gif', 'Palette', { width: 160, height: 100, frameCount: 3 }],
    ['images/sample.webp', 'RGB', { width: 640, height: 400 }],
    ['images/sample_anim.webp', 'RGB', { width: 160, height: 100, frameCount: 2 }],
    ['images/sample.bmp', 'RGB', { width: 320, height: 200 }],
    ['images/sample_pal8_rle.bmp', 'Palette', { width: 160, height: 100 }],
    ['images/sample.tiff', 'RGB', { width: 320, height: 200, frameCount: 2 }],
    ['images/sample.heic', 'RGB', { width: 640, height: 400 }],
    ['images/sample.heif', 'RGB', { width: 640, height: 400 }],
  ])('%s: its bands', async (name, colorMode, shape) => {
    const picture = await facts(name)
    expect(picture).toMatchObject({ colorMode, ...shape })
    expect('frameCount' in picture).toBe('frameCount' in shape)
    const [red, blue, white] = picture.dominantColors
    expect(red).toMatchObject({ name: 'red', hex: expect.stringMatching(/^#C[89]323[23]$/) })
    expect(blue).toMatchObject({ name: 'blue', hex: expect.stringMatching(/^#2[789](50|4F)B[34]$/) })
    expect(white).toMatchObject({ name: 'white', hex: expect.stringMatching(/^#F[CF]F[BF]F[CF]$/) })
    expect(red!.share).toBeGreaterThanOrEqual(0.5)
    expect(red!.share).toBeLessThanOrEqual(0.6)
    expect(blue!.share).toBeCloseTo(0.3, 1)
  })

  test.each([
    'images/sample.png',
    'images/sample.jpg',
    'images/sample.gif',
    'images/sample.webp',
    'images/sample.bmp',
    'images/sample.heic',
    'images/sample_anim.webp',
    'images/sample_cmyk.jpg',
    'images/sample_gray.jpg',
    'images/sample_rgba.png',
    'images/sample_pal8_rle.bmp',
  ])('%s: its words', async (name) => {
    const { text, recognition, warnings } = await extract(name)
    expect(text.toLowerCase().split(/\n+/)).toEqual(['quarterly report', 'invoice 4711 total 98.50'])
    expect(recognition).toMatchObject({
      method: 'tesseract-5-lstm',
      languages: ['eng'],
      words: 6,
      dropped: 0,
    })
    expect(recognition!.confidence).toBeGreaterThan(0.9)
    expect(warnings).toEqual([
      expect.stringMatching(/^The words were read from the picture by OCR, mean confidence 9\d %\.$/),
    ])
  })

  test('every page of a TIFF is read', async () => {
    const { text, recognition } = await extract('images/sample.tiff')
    expect(text.match(/Quarterly Report/g)).toHaveLength(2)
    expect(recognition).toMatchObject({ words: 12 })
  })

  test('SVG: its words, size and colours', async () => {
    const drawing = await extract('images/sample.svg')
    expect(drawing).toMatchObject({
      title: 'Sample drawing',
      text: 'Three bands and a circle\n\nQuarterly Report',
      warnings: [],
      facts: { mediaType: 'image', width: 640, height: 400, colorMode: 'RGBA', exif: {} },
    })
    const { dominantColors } = drawing.facts as ImageFacts
    expect(dominantColors.map(({ hex }) => hex)).toEqual(['#C83232', '#2850B4', '#FFD700'])
  })

  test('HEIC: EXIF', async () => {
    expect(await extract('images/sample.heic')).toMatchObject({
      author: 'Hong Gildong',
      facts: { exif: { Make: 'TestCam', GPSLatitude: 37.5665, DateTimeOriginal: '2024-05-06T07:08:09' } },
    })
  })

  test('EXIF: place, camera, and the size as shown', async () => {
    expect((await facts('images/sample.jpg')).exif).toMatchObject({
      Make: 'TestCam',
      Model: 'Model X1',
      Orientation: 6,
      GPSLatitude: 37.5665,
      GPSLongitude: 126.978,
      DateTimeOriginal: '2024-05-06T07:08:09',
    })
  })

  test.each([
    ['images/sample_cmyk.jpg', 'CMYK', 640, 400],
    ['images/sample_gray.jpg', 'Gray', 640, 400],
    ['images/sample_rgba.png', 'RGBA', 160, 100],
    ['images/sample_pal8_rle.bmp', 'Palette', 160, 100],
    ['images/sample_cmyk.tiff', 'CMYK', 320, 200],
  ])('%s is %s', async (name, colorMode, width, height) => {
    expect(await facts(name)).toMatchObject({ colorMode, width, height })
  })
})

const TONE = {
  mediaType: 'audio',
  title: 'Test Tone',
  author: 'Test Artist',
  text: '',
  facts: {
    duration: expect.closeTo(3, 1),
    channels: 2,
    // As ffmpeg's ebur128 measures the uncompressed ones: −21.8 LUFS. Coding changes peaks more than loudness.
    loudness: { integrated: expect.closeTo(-21.9, 0), peak: expect.any(Number), silence: 0 },
    tags: {
      title: 'Test Tone',
      artist: 'Test Artist',
      album: 'Test Album',
      year: '2024',
      genre: 'Electronic',
      track: '3/9',
    },
  },
}

describe('audio', () => {
  test.each([
    ['mp3', 'MPEG 1 Layer 3'],
    ['wav', 'PCM'],
    ['flac', 'FLAC'],
    ['ogg', 'Vorbis I'],
    ['m4a', 'MPEG-4/AAC'],
    ['aiff', 'PCM'],
    ['wma', 'Windows Media Audio V8'],
  ])('audio/sample.%s', async (extension, codec) => {
    const sound = await extract(`audio/sample.${extension}`)
    expect(sound).toMatchObject({
      ...TONE,
      format: extension,
      facts: { ...TONE.facts, sampleRate: 44_100, codec },
    })
  })

  test('an MP3 without a header that counts its frames, and Opus in Ogg', async () => {
    expect(await extract('audio/sample_vbr_noxing.mp3')).toMatchObject({ ...TONE, format: 'mp3' })
    expect(await extract('audio/sample_opus.ogg')).toMatchObject({
      ...TONE,
      format: 'ogg',
      facts: { ...TONE.facts, sampleRate: 48_000, codec: 'Opus' },
    })
  })

  test('a bare AAC stream has a length but no tags', async () => {
    expect(await extract('audio/sample.aac')).toMatchObject({
      format: 'aac',
      title: null,
      facts: { duration: expect.closeTo(3, 1), sampleRate: 44_100, channels: 2, codec: 'AAC', tags: {} },
    })
  })
})

describe('video', () => {
  test.each([
    ['sample.mp4', 'mp4', 'H.264'],
    ['sample_moov_at_end.mp4', 'mp4', 'H.264'],
    ['sample_hevc.mp4', 'mp4', 'HEVC'],
    ['sample.mov', 'mov', 'H.264'],
    ['sample.webm', 'webm', 'VP9'],
    ['sample.avi', 'avi', 'MPEG-4 Visual'],
    ['sample.wmv', 'wmv', 'WMV2'],
    ['sample.mpeg', 'mpeg', 'MPEG-1'],
    ['sample.mpg', 'mpeg', 'MPEG-2'],
  ])('video/%s', async (name, format, codec) => {
    const tagged = format !== 'mpeg'
    expect(await extract(`video/${name}`)).toMatchObject({
      format,
      mediaType: 'video',
      title: tagged ? 'Sample clip' : null,
      author: tagged ? 'Test Artist' : null,
      text: '',
      warnings: [],
      facts: {
        duration: expect.closeTo(4, 1),
        width: 320,
        height: 180,
        frameRate: 25,
        codec,
        tags: tagged ? { title: 'Sample clip', artist: 'Test Artist' } : {},
        keyFrames: [
          { time: 0, kind: 'plain', dominantColors: [{ name: 'red', share: 1 }] },
          { time: expect.closeTo(2, 0), kind: 'drawing' },
        ],
      },
    })
  })
})

describe('models', () => {
  test.each([
    // Its colours are stored linear: they are shown brighter.
    [
      '3d/sample.glb',
      {
        colors: [
          { hex: '#E57C7C', name: expect.any(String) },
          { hex: '#6F97DA', name: 'blue' },
        ],
      },
    ],
    ['3d/sample.obj', {}],
  ])('%s', async (name, colors) => {
    expect((await extract(name)).facts).toEqual({
      ...colors,
      mediaType: 'model',
      vertexCount: 8,
      triangleCount: 12,
      materialCount: 2,
      materials: ['red', 'blue'],
      parts: ['Box'],
      dimensions: { x: 2, y: 3, z: 4 },
    })
  })

  test.each([
    ['3d/sample.3mf', [], 'Box', null],
    ['3d/sample.dae', ['Box'], null, 'Assimp'],
    ['3d/sample.fbx', ['Box'], null, null],
    ['3d/sample_ascii.fbx', ['Box', 'blue'], null, null],
  ])('%s', async (name, parts, title, author) => {
    expect(await extract(name)).toMatchObject({
      title,
      author,
      text: '',
      warnings: [],
      facts: {
        mediaType: 'model',
        vertexCount: 8,
        triangleCount: 12,
        materialCount: 2,
        materials: ['red', 'blue'],
        parts,
        dimensions: { x: 2, y: 3, z: 4 },
        colors: [{ name: 'red' }, { name: 'blue' }],
      },
    })
  })

  test.each([
    ['3d/sample.stl', ['AssimpScene']],
    ['3d/sample_binary.stl', []],
    ['3d/sample.ply', []],
    ['3d/sample_binary.ply', []],
  ])('%s, which has no materials', async (name, parts) => {
    expect((await extract(name)).facts).toEqual({
      mediaType: 'model',
      vertexCount: 8,
      triangleCount: 12,
      materialCount: 0,
      materials: [],
      parts,
      dimensions: { x: 2, y: 3, z: 4 },
    })
  })
})

test('what a child read before changes nothing in what it reads', async () => {
  const folders = ['data', 'documents', 'mail_ebook', 'presentation', 'spreadsheet']
  const names = (await Promise.all(folders.map(fixturesIn))).flat()
  const child = new ExtractorPool({ concurrency: 1, filesPerChild: 1_000 })
  const readAll = async (order: readonly string[]) => {
    const read = new Map<string, Extraction>()
    for (const name of order) read.set(name, (await child.extract(await fixtureFile(name))).extraction)
    return read
  }
  try {
    const forwards = await readAll(names)
    expect(forwards.size).toBeGreaterThan(20)
    expect(await readAll(names.toReversed())).toEqual(forwards)
  } finally {
    await child.close()
  }
})
