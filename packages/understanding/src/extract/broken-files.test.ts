import {
  UnreadableFile,
  UnsupportedFileType,
  type Extraction,
} from '@medialog/application/ports/understanding'
import { afterAll, describe, expect, test } from 'vitest'
import { ExtractorPool } from '../pool/pool.ts'
import {
  fixtureFile,
  overwritten,
  readFixture,
  scratchFolder,
  sourceFile,
  truncated,
} from '../testing/fixtures.ts'
import { plainDoc } from '../testing/doc.ts'
import { plainEpub } from '../testing/epub.ts'
import { triangleGlb } from '../testing/glb.ts'
import { LOCKED, openDocument } from '../testing/opendocument.ts'
import { workbook } from '../testing/workbook.ts'

// What is slow is told by its processor time: on a machine that is busy all else is, too.
const pool = new ExtractorPool({ deadlineMs: 600_000, cpuMs: 5_000 })
const folder = await scratchFolder()
afterAll(async () => {
  await pool.close()
  await folder.remove()
})

const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  )

describe('hostile files are refused for what they are, quickly', () => {
  test.each([
    ['hostile/encrypted_user.pdf', 'encrypted'],
    ['hostile/bomb.docx', 'too-large'],
    ['hostile/bomb.xlsx', 'too-large'],
    ['hostile/lying_size_bomb.docx', 'too-large'],
    ['hostile/deep.json', 'too-large'],
    ['hostile/deep.xml', 'too-large'],
    ['hostile/pixel_bomb.png', 'too-large'],
    ['hostile/lying_size.bmp', 'too-large'],
  ])('%s: %s', async (name, reason) => {
    const error = await failure(pool.extract(await fixtureFile(name)))
    expect(error).toBeInstanceOf(UnreadableFile)
    expect(error).toMatchObject({ reason })
  })
})

describe('files made to be read for long are read or refused quickly', () => {
  const brief = new ExtractorPool({ deadlineMs: 600_000, cpuMs: 1_500 })
  afterAll(() => brief.close())

  test.each([
    ['a table of tables that is its own next part', 'self.doc', endlessDoc(512)],
    ['the same, of free places only', 'free.doc', endlessDoc(0)],
    ['tables that all name one sector', 'same.doc', sameTables(plainDoc(['x'.repeat(4_000_000)]))],
    ['escaped quotes without an end', 'quotes.json', `["${'\\"'.repeat(2_000_000)}`],
    [
      'spaces in quoted-printable text',
      'spaces.eml',
      `Subject: a\nContent-Transfer-Encoding: quoted-printable\n\na${' '.repeat(4_000_000)}b`,
    ],
  ])('%s', async (_, name, content) => {
    const bytes = Buffer.from(content)
    const file = sourceFile(await folder.write(name, bytes), bytes)
    const error = await failure(brief.extract(file))
    expect([null, { reason: 'corrupted' }]).toContainEqual(
      error instanceof UnreadableFile ? { reason: error.reason } : error,
    )
  })

  /** Whose table of tables goes on in its first sector, of these numbers, and is said to be as long as can be. */
  function endlessDoc(number: number): Buffer {
    const doc = plainDoc(['words'])
    doc.writeUInt32LE(0, 68)
    doc.writeUInt32LE(0xffffffff, 72)
    doc.fill(0xff, 512, 1024)
    if (number > 0) for (let at = 512; at < 1024; at += 4) doc.writeUInt32LE(number % 2, at)
    doc.writeUInt32LE(0, 1020)
    return doc
  }

  /** Whose tables of tables, each another sector, name one sector again and again. */
  function sameTables(doc: Buffer): Buffer {
    const sectors = doc.length / 512 - 1
    doc.writeUInt32LE(1, 68)
    doc.writeUInt32LE(sectors - 2, 72)
    for (let sector = 1; sector < sectors - 1; sector++) {
      const start = 512 * (1 + sector)
      doc.fill(0, start, start + 508)
      doc.writeUInt32LE(sector + 1, start + 508)
    }
    return doc
  }
})

test.each([
  ['hostile/billion_laughs.xml', '&lol9;'],
  ['hostile/xxe.xml', '&x;'],
])('%s: its entities stay as they are written', async (name, text) => {
  expect((await pool.extract(await fixtureFile(name))).extraction.text).toBe(text)
})

const read = async (name: string, bytes: Uint8Array): Promise<Extraction | UnreadableFile> => {
  const path = await folder.write(name, bytes)
  try {
    return (await pool.extract(sourceFile(path, bytes))).extraction
  } catch (error) {
    // Damage may hit what tells the format itself: then nobody can say what it was.
    if (error instanceof UnsupportedFileType) return new UnreadableFile('corrupted', error.message)
    if (!(error instanceof UnreadableFile)) throw error
    expect(error.reason).not.toBe('timeout')
    return error
  }
}

const BINARY = [
  'documents/sample.pdf',
  'documents/sample.docx',
  'images/sample.png',
  'images/sample.jpg',
  'images/sample_cmyk.jpg',
  'images/sample.gif',
  'images/sample.webp',
  'images/sample_anim.webp',
  'images/sample.bmp',
  'images/sample_pal8_rle.bmp',
  'images/sample.tiff',
  'images/sample_cmyk.tiff',
  'images/sample.svg',
  'images/sample.heic',
  'images/sample.heif',
  'audio/sample.wav',
  'audio/sample.mp3',
  'audio/sample.flac',
  'audio/sample.ogg',
  'audio/sample_opus.ogg',
  'audio/sample.m4a',
  'audio/sample.aiff',
  'audio/sample.wma',
  'video/sample.mp4',
  'video/sample_moov_at_end.mp4',
  'video/sample_hevc.mp4',
  'video/sample.mov',
  'video/sample.webm',
  'video/sample.avi',
  'video/sample.wmv',
  '3d/sample.glb',
  '3d/sample.stl',
  '3d/sample_binary.stl',
  '3d/sample.ply',
  '3d/sample_binary.ply',
  '3d/sample.3mf',
  '3d/sample.dae',
  '3d/sample.fbx',
  '3d/sample_ascii.fbx',
  'data/sample.json',
  'data/sample.xml',
  'data/sample.hml',
  'mail_ebook/sample.eml',
  'mail_ebook/sample.epub',
  'documents/sample.rtf',
  'documents/sample_cp949.rtf',
  'documents/sample.odt',
  'presentation/sample.pptx',
  'presentation/sample.odp',
  'spreadsheet/sample.xlsx',
  'spreadsheet/sample.xls',
  'spreadsheet/sample.ods',
  'documents/sample.doc',
]
const STREAMS = [
  'audio/sample_vbr_noxing.mp3',
  'audio/sample.aac',
  'video/sample.mpeg',
  'video/sample.mpg',
  '3d/sample.obj',
]
const TEXTS = [
  'documents/sample.txt',
  'documents/sample_cp949.txt',
  'documents/sample_utf16le.txt',
  'documents/sample.md',
  'data/sample.html',
  'data/sample_euckr.html',
  'spreadsheet/sample.csv',
  'spreadsheet/sample.tsv',
]
const nameOf = (name: string): string => name.split('/')[1]!

/** What is not honest or not fit to be stored about an outcome. */
function flaws(outcome: Extraction | UnreadableFile): string[] {
  if (outcome instanceof UnreadableFile)
    return /^[A-Z].+\.$/.test(outcome.message) && outcome.reason === 'corrupted' ? [] : [outcome.message]
  const numbers = Object.entries(outcome.facts).filter(([, value]) => typeof value === 'number')
  return [
    ...numbers.filter(([, value]) => !(Number.isFinite(value) && value >= 0)).map(([name]) => name),
    ...(outcome.text.isWellFormed() ? [] : ['lone surrogates']),
    ...outcome.sections
      .filter(({ title, start }) => !outcome.text.startsWith(title, start))
      .map(({ title }) => title),
  ]
}

describe('cut at 60 %', () => {
  test.each(BINARY)('%s is corrupted', async (name) => {
    const outcome = await read(nameOf(name), truncated(await readFixture(name)))
    expect(outcome).toMatchObject({ reason: 'corrupted', message: expect.stringMatching(/^The .+\.$/) })
  })

  test.each([
    ['audio/sample_vbr_noxing.mp3', 'The recording ends in the middle of a frame: its end may be missing.'],
    ['audio/sample.aac', 'The recording ends in the middle of a frame: its end may be missing.'],
    ['video/sample.mpeg', 'The video ends in the middle of a frame: its end may be missing.'],
    ['video/sample.mpg', 'The video ends in the middle of a frame: its end may be missing.'],
    ['data/sample.html', 'The page is not closed at its end: the rest may be missing.'],
    ['data/sample_euckr.html', 'The page is not closed at its end: the rest may be missing.'],
    ['spreadsheet/sample.tsv', 'The last row has fewer columns than any other: the rest may be missing.'],
    ['mail_ebook/sample_euckr.eml', 'The message ends with its header: the rest may be missing.'],
  ])('%s says that its end may be missing, and the whole one does not', async (name, warning) => {
    const whole = await readFixture(name)
    expect(await read(nameOf(name), truncated(whole))).toMatchObject({
      warnings: expect.arrayContaining([warning]),
    })
    expect(await read(nameOf(name), whole)).toMatchObject({ warnings: [] })
  })

  test.each(TEXTS)('%s still reads up to there', async (name) => {
    const outcome = await read(nameOf(name), truncated(await readFixture(name)))
    expect(outcome).toMatchObject({
      mediaType: 'document',
      text: expect.stringMatching(/Report|Introduction|Quarter/),
    })
  })

  test.each(['audio/sample_vbr_noxing.mp3', 'audio/sample.aac'])(
    '%s, a stream without a stated length, plays up to there',
    async (name) => {
      const outcome = await read(nameOf(name), truncated(await readFixture(name)))
      expect(outcome).toMatchObject({ facts: { duration: expect.closeTo(1.8, 0) } })
    },
  )
})

describe('one byte in 50 overwritten', () => {
  test.each([...BINARY, ...STREAMS, ...TEXTS].flatMap((name) => [1, 2].map((seed) => [name, seed] as const)))(
    '%s, seed %i: corrupted, or read with finite facts',
    async (name, seed) => {
      const outcome = await read(nameOf(name), overwritten(await readFixture(name), seed))
      expect(flaws(outcome)).toEqual([])
    },
  )
})

describe('small print', () => {
  test.each([
    ['nan.obj', 'v 0 0 zero\nv 1 0 0\nv 0 1 0\nf 1 2 3\n', 'corrupted'],
    ['missing.obj', 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n', 'corrupted'],
    ['empty.obj', '# nothing here\n', 'corrupted'],
    ['prose.obj', 'Dear reader,\nthis is no model\nbut a letter\n', 'corrupted'],
    ['half.json', '{"a": [1, 2', 'corrupted'],
    ['blank.txt', ' \n\t\n', 'corrupted'],
    ['blank.csv', '\n\n', 'corrupted'],
    ['blank.xml', '<?xml version="1.0"?><a><b/></a>', 'corrupted'],
    ['empty.rtf', '{\\rtf1\\ansi{\\info{\\title x}}\\par}', 'corrupted'],
    ['words.eml', 'only words\n', 'corrupted'],
    ['other.hml', '<a>words</a>', 'corrupted'],
  ])('%s: %s', async (name, text, reason) => {
    expect(await read(name, Buffer.from(text))).toMatchObject({ reason })
  })

  test('a model of glTF 1.0 is refused as such', async () => {
    const old = Buffer.concat([Buffer.from('glTF\x01\0\0\0\x20\0\0\0', 'latin1'), Buffer.alloc(20)])
    expect(await read('old.glb', old)).toMatchObject({
      reason: 'corrupted',
      message: 'The model is of glTF 1.0; only glTF 2.0 is read.',
    })
  })

  test.each<[string, Parameters<typeof triangleGlb>[0], RegExp]>([
    ['not a number', { floats: [0, 0, NaN, 1, 0, 0, 0, 1, 0] }, /not numbers/],
    ['data missing', { floats: [0, 0, 0] }, /missing/],
    [
      'a count beyond the data',
      { json: { accessors: [{ bufferView: 0, componentType: 5126, count: 2e9, type: 'VEC3' }] } },
      /missing/,
    ],
    [
      'a compressed mesh',
      {
        json: {
          extensionsRequired: ['KHR_draco_mesh_compression'],
          extensionsUsed: ['KHR_draco_mesh_compression'],
        },
      },
      /KHR_draco_mesh_compression/,
    ],
    [
      'a buffer elsewhere',
      { json: { buffers: [{ byteLength: 36, uri: 'http://127.0.0.1:9/x.bin' }] } },
      /damaged/,
    ],
    ['no geometry', { json: { meshes: [], nodes: [{}] } }, /no geometry/],
  ])('GLB with %s', async (_, parts, message) => {
    expect(await read('triangle.glb', triangleGlb(parts))).toMatchObject({
      reason: 'corrupted',
      message: expect.stringMatching(message),
    })
  })

  test.each([
    'KHR_texture_transform',
    'EXT_texture_webp',
    'KHR_texture_basisu',
    'KHR_materials_unlit',
    'KHR_materials_pbrSpecularGlossiness',
    'KHR_lights_punctual',
    'KHR_xmp_json_ld',
    'KHR_mesh_quantization',
  ])('GLB that requires %s, which leaves its geometry as it is', async (extension) => {
    const json = { extensionsRequired: [extension], extensionsUsed: [extension] }
    expect(await read('look.glb', triangleGlb({ json }))).toMatchObject({
      facts: { vertexCount: 3, triangleCount: 1 },
    })
  })

  test.each(['EXT_meshopt_compression', 'EXT_mesh_gpu_instancing', 'KHR_unheard_of'])(
    'GLB that requires %s is refused by its name',
    async (extension) => {
      const json = { extensionsRequired: [extension], extensionsUsed: [extension] }
      expect(await read('shape.glb', triangleGlb({ json }))).toMatchObject({
        reason: 'corrupted',
        message: `The model needs the glTF extension ${extension}, which is not read.`,
      })
    },
  )

  test('a mesh shown twice by its nodes has two places', async () => {
    const json = { scenes: [{ nodes: [0, 1] }], nodes: [{ mesh: 0 }, { mesh: 0, translation: [5, 0, 0] }] }
    expect(await read('twice.glb', triangleGlb({ json }))).toMatchObject({
      facts: { vertexCount: 6, triangleCount: 2, dimensions: { x: 6, y: 1, z: 0 } },
    })
  })

  test.each([1, 2, 3])('GLB whose JSON ends %i bytes behind a whole word is read', async (more) => {
    const glb = triangleGlb({})
    const jsonEnd = 20 + glb.readUInt32LE(12)
    const odd = Buffer.concat([glb.subarray(0, jsonEnd), Buffer.alloc(more, ' '), glb.subarray(jsonEnd)])
    odd.writeUInt32LE(odd.length, 8)
    odd.writeUInt32LE(jsonEnd - 20 + more, 12)
    expect(await read('odd.glb', odd)).toMatchObject({ facts: { vertexCount: 3, triangleCount: 1 } })
  })

  test('an OBJ with relative indices, continued lines and polygons', async () => {
    const obj = 'v 0 0 0\nv 1 0 0\nv 1 1 \\\n0\nv 0 1 0\nv 0 0 0\nf -5/1/1 -4//2 -3 -2\n'
    expect(await read('quad.obj', Buffer.from(obj))).toMatchObject({
      facts: { vertexCount: 4, triangleCount: 2 },
    })
  })

  test.each([
    ['S/MIME', 'application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m\n\nAAAA'],
    ['PGP', 'multipart/encrypted; boundary=b\n\n--b\n\nx\n--b--\n'],
  ])('a message locked with %s is encrypted', async (_, type) => {
    const mail = `MIME-Version: 1.0\nSubject: secret\nContent-Type: ${type}`
    expect(await read('secret.eml', Buffer.from(mail))).toMatchObject({ reason: 'encrypted' })
  })

  test.each([
    ['http://www.w3.org/2001/04/xmlenc#aes256-cbc', { reason: 'encrypted' }],
    ['http://www.idpf.org/2008/embedding', { text: 'Words' }],
  ])('a book encrypted by %s', async (algorithm, outcome) => {
    const list = `<encryption><EncryptedData><EncryptionMethod Algorithm="${algorithm}"/></EncryptedData></encryption>`
    const book = plainEpub(['Words'], { 'META-INF/encryption.xml': list })
    expect(await read('locked.epub', book)).toMatchObject(outcome)
  })

  test.each([
    ['odt', 'text'],
    ['odp', 'presentation'],
    ['ods', 'spreadsheet'],
  ] as const)('a locked %s is encrypted', async (name, kind) => {
    expect(await read(`locked.${name}`, openDocument(kind, '', LOCKED))).toMatchObject({
      reason: 'encrypted',
    })
  })

  test.each(['docx', 'pptx', 'xlsx'])('a locked %s is encrypted', async (name) => {
    const ole = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(504)])
    const locked = Buffer.concat([ole, Buffer.from('EncryptedPackage', 'utf16le')])
    expect(await read(`locked.${name}`, locked)).toMatchObject({ reason: 'encrypted' })
  })

  test('an XLS behind a FILEPASS record is encrypted', async () => {
    const book = workbook('biff8', { Data: [['x']] })
    const start = book.indexOf(Buffer.from('09081000', 'hex'))
    book.writeUInt16LE(0x2f, start + 20)
    expect(await read('locked.xls', book)).toMatchObject({ reason: 'encrypted' })
  })

  test.each(['xlsx', 'ods', 'biff8'] as const)('a workbook without cells is corrupted: %s', async (type) => {
    const name = type === 'biff8' ? 'xls' : type
    expect(await read(`empty.${name}`, workbook(type, { Empty: [] }))).toMatchObject({ reason: 'corrupted' })
  })

  test('a book without its package, and one without words', async () => {
    expect(await read('a.epub', plainEpub(['x'], { 'a.opf': '<package/>' }))).toMatchObject({
      reason: 'corrupted',
    })
    expect(await read('b.epub', plainEpub([]))).toMatchObject({ reason: 'corrupted' })
  })

  test('a recording over ten minutes is too large', async () => {
    const seconds = 601
    const wav = Buffer.alloc(44 + seconds * 8000)
    wav.write('RIFF')
    wav.writeUInt32LE(wav.length - 8, 4)
    wav.write('WAVEfmt ', 8)
    wav.writeUInt32LE(16, 16)
    wav.writeUInt16LE(1, 20)
    wav.writeUInt16LE(1, 22)
    wav.writeUInt32LE(8000, 24)
    wav.writeUInt32LE(8000, 28)
    wav.writeUInt16LE(1, 32)
    wav.writeUInt16LE(8, 34)
    wav.write('data', 36)
    wav.writeUInt32LE(seconds * 8000, 40)
    expect(await read('long.wav', wav)).toMatchObject({
      reason: 'too-large',
      message: expect.stringContaining('10 minutes'),
    })
  })

  test.each([
    ['deep.html', `<!doctype html>${'<div>'.repeat(1_000_000)}`],
    ['deep.rtf', `{\\rtf1 ${'{'.repeat(1_000_000)}`],
    ['deep.md', '> '.repeat(100_000) + 'x'],
  ])('%s is refused, quickly', async (name, text) => {
    expect(await read(name, Buffer.from(text))).toMatchObject({
      reason: 'too-large',
      message: expect.stringContaining('nested'),
    })
  })
})
