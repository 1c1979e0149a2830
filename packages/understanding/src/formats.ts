import type { Format } from '@medialog/application/ports/understanding'
import type { MediaType } from '@medialog/kernel'
import type { Extract } from './extract/extractor.ts'
import type { MediaSignature } from './media-signature.ts'
import type { Signature } from './signature.ts'

/**
 * Which kind of child process reads a format. `script`: JavaScript and WASM only, no native addon can be loaded.
 * `native`: addons too, which the permission model cannot hold back, so these children do nothing else.
 */
export const PROFILES = ['script', 'native'] as const
export type Profile = (typeof PROFILES)[number]

/** One row: what the format is, how its bytes are told, and who reads it. */
export interface FormatRow extends Format {
  signature: Signature
  profile: Profile
  /** Its container is a zip: it passes the byte budget before a parser sees it. */
  zip: boolean
  /** Loads the extractor, and its libraries with it, in the child only. */
  load(): Promise<{ extract: Extract }>
}

type Reader = FormatRow['load']
type Row = Pick<FormatRow, 'name' | 'mimeType' | 'extensions' | 'signature' | 'load'>

const MB = 1_000_000

/** The limits of the specification's table "File size limits per category". */
const LIMITS: Record<MediaType, Pick<Format, 'maxBytes' | 'maxAnalysisBytes' | 'maxSeconds'>> = {
  document: { maxBytes: 20 * MB },
  image: { maxBytes: 20 * MB, maxAnalysisBytes: 50 * MB },
  video: { maxBytes: 100 * MB, maxSeconds: 600 },
  audio: { maxBytes: 50 * MB, maxSeconds: 600 },
  model: { maxBytes: 50 * MB },
}

const csv: Reader = () => import('./extract/csv.ts')
const audio: Reader = () => import('./extract/audio.ts')
const bmp: Reader = () => import('./extract/bmp.ts')
const gltf: Reader = () => import('./extract/gltf.ts')
const heic: Reader = () => import('./extract/heic.ts')
const doc: Reader = () => import('./extract/doc.ts')
const eml: Reader = () => import('./extract/eml.ts')
const epub: Reader = () => import('./extract/epub.ts')
const hml: Reader = () => import('./extract/hml.ts')
const html: Reader = () => import('./extract/html.ts')
const image: Reader = () => import('./extract/image.ts')
const json: Reader = () => import('./extract/json.ts')
const markdown: Reader = () => import('./extract/markdown.ts')
const obj: Reader = () => import('./extract/obj.ts')
const odf: Reader = () => import('./extract/odf.ts')
const docx: Reader = () => import('./extract/docx.ts')
const pdf: Reader = () => import('./extract/pdf.ts')
const dae: Reader = () => import('./extract/dae.ts')
const fbx: Reader = () => import('./extract/fbx.ts')
const ply: Reader = () => import('./extract/ply.ts')
const stl: Reader = () => import('./extract/stl.ts')
const svg: Reader = () => import('./extract/svg.ts')
const threeMf: Reader = () => import('./extract/three-mf.ts')
const pptx: Reader = () => import('./extract/pptx.ts')
const rtf: Reader = () => import('./extract/rtf.ts')
const sheet: Reader = () => import('./extract/sheet.ts')
const txt: Reader = () => import('./extract/txt.ts')
const video: Reader = () => import('./extract/video.ts')
const xml: Reader = () => import('./extract/xml.ts')

const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
/** Pages with an XML declaration do not always have the root that they should, nor the declaration (PHP's DOM) its version. */
const HTML =
  /^(?:<!--(?:(?!-->)[^])*-->|<\?xml[^>]*>|\s)*(?:<!doctype\s+html|<html[\s>])|^\s*<\?xml(?:\s+encoding[^?>]*>|[^>]*>\s*<(?:head|title|meta|link|body)[\s>])/i
/** `+`: BigTIFF, with sizes of 8 bytes. */
const TIFF: Signature = { kind: 'pattern', pattern: /^(?:II[*+]\0|MM\0[*+])/ }
/** Brands of ISO 23008-12, annex B: still pictures and sequences in HEVC, and of any codec. */
const HEIC: Signature = { kind: 'pattern', pattern: /^[^]{4}ftyp(?:hei[cxms]|hev[cxms]|mif1|msf1)/ }
const PLY: Signature = { kind: 'pattern', pattern: /^ply\r?\n(?:format|comment|obj_info) / }
const FBX: Signature = { kind: 'pattern', pattern: /^(?:Kaydara FBX Binary {2}\0|; FBX \d)/ }
const SLIDES = 'application/vnd.openxmlformats-officedocument.presentationml.presentation'
const WORKBOOK = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
/** The mark of a file information block; a record BOF of version 0x600 (MS-DOC 2.5.1, MS-XLS 2.4.21). */
const WORD_97: Signature = { kind: 'compound', stream: 'WordDocument', begins: '\xec\xa5' }
const EXCEL_97: Signature = { kind: 'compound', stream: 'Workbook', begins: '\x09\x08\x10\x00\x00\x06' }
const ODF = 'application/vnd.oasis.opendocument'
const EPUB = 'application/epub+zip'
/** Only header fields, and one among them that nothing but mail has. */
const MAIL =
  /^(?:From [^\n]*\n)?(?:[!-9;-~]+:[^\n]*\n(?:[ \t][^\n]*\n)*)*?(?:received|return-path|message-id|mime-version):/i
const HML = /^\s*<\?xml[^>]*>\s*(?:<!DOCTYPE[^>]*>\s*)?<HWPML[\s>]/
/** XML whose root is no format of its own, as far as the beginning shows. */
const XML = new RegExp(String.raw`(?!${rootElement('(?:html|HWPML|svg|COLLADA)').source})^\s*<\?xml\s`)
const TEXT: Signature = { kind: 'text' }

/** All formats, one line each: name, MIME type, extensions, signature, reader. Earlier rows win where two would fit. */
export const FORMATS: readonly FormatRow[] = [
  ...family('document', {}, [
    row('pdf', 'application/pdf', 'pdf', bytes([0, '%PDF-'], { within: 1024 }), pdf),
    row('rtf', 'application/rtf', 'rtf', bytes([0, '{\\rtf']), rtf),
    row('html', 'text/html', 'html htm', { kind: 'text', starts: HTML }, html),
    row('hml', 'application/x-hwpml', 'hml', { kind: 'text', starts: HML }, hml),
    row('xml', 'application/xml', 'xml', { kind: 'text', starts: XML }, xml),
  ]),
  // Its attachments may be images.
  ...family('document', { profile: 'native' }, [
    row('eml', 'message/rfc822', 'eml', { kind: 'text', starts: MAIL }, eml),
  ]),
  ...family('document', {}, [
    row('txt', 'text/plain', 'txt', TEXT, txt),
    row('md', 'text/markdown', 'md', TEXT, markdown),
    row('csv', 'text/csv', 'csv', TEXT, csv),
    row('tsv', 'text/tab-separated-values', 'tsv', TEXT, csv),
    row('xls', 'application/vnd.ms-excel', 'xls', EXCEL_97, sheet),
    row('doc', 'application/msword', 'doc', WORD_97, doc),
    row('json', 'application/json', 'json', TEXT, json),
  ]),
  ...family('document', { zip: true }, [
    row('docx', WORD, 'docx', { kind: 'zip', part: 'word/', locked: true }, docx),
    row('odt', `${ODF}.text`, 'odt', { kind: 'zip', mimetype: `${ODF}.text` }, odf),
    row('odp', `${ODF}.presentation`, 'odp', { kind: 'zip', mimetype: `${ODF}.presentation` }, odf),
    row('pptx', SLIDES, 'pptx', { kind: 'zip', part: 'ppt/', locked: true }, pptx),
    row('xlsx', WORKBOOK, 'xlsx', { kind: 'zip', part: 'xl/', locked: true }, sheet),
    row('ods', `${ODF}.spreadsheet`, 'ods', { kind: 'zip', mimetype: `${ODF}.spreadsheet` }, sheet),
    row('epub', EPUB, 'epub', { kind: 'zip', mimetype: EPUB }, epub),
  ]),
  ...family('image', { profile: 'native' }, [
    row('png', 'image/png', 'png', bytes([0, '\x89PNG\r\n\x1a\n']), image),
    row('jpg', 'image/jpeg', 'jpg jpeg', bytes([0, '\xff\xd8\xff']), image),
    row('gif', 'image/gif', 'gif', bytes([0, 'GIF8']), image),
    row('webp', 'image/webp', 'webp', bytes([0, 'RIFF'], [8, 'WEBP']), image),
    row('bmp', 'image/bmp', 'bmp', bytes([0, 'BM'], [15, '\0\0\0']), bmp),
    row('tiff', 'image/tiff', 'tiff tif', TIFF, image),
    row('svg', 'image/svg+xml', 'svg', { kind: 'text', starts: rootElement('svg') }, svg),
    row('heic', 'image/heic', 'heic heif', HEIC, heic),
  ]),
  ...family('video', {}, [
    row('mp4', 'video/mp4', 'mp4', media('mp4'), video),
    row('mov', 'video/quicktime', 'mov', media('mov'), video),
    row('webm', 'video/webm', 'webm', media('webm'), video),
    row('avi', 'video/x-msvideo', 'avi', bytes([0, 'RIFF'], [8, 'AVI ']), video),
    row('mpeg', 'video/mpeg', 'mpeg mpg', media('mpeg'), video),
    row('wmv', 'video/x-ms-wmv', 'wmv', media('wmv'), video),
  ]),
  ...family('audio', {}, [
    row('mp3', 'audio/mpeg', 'mp3', media('mp3'), audio),
    // Longer ones begin with RF64.
    row('wav', 'audio/wav', 'wav', bytes([8, 'WAVE']), audio),
    row('flac', 'audio/flac', 'flac', media('flac'), audio),
    row('ogg', 'audio/ogg', 'ogg', media('ogg'), audio),
    row('m4a', 'audio/mp4', 'm4a', media('m4a'), audio),
    row('aac', 'audio/aac', 'aac', media('aac'), audio),
    row('aiff', 'audio/aiff', 'aiff', bytes([0, 'FORM'], [8, 'AIF']), audio),
    row('wma', 'audio/x-ms-wma', 'wma', media('wma'), audio),
  ]),
  ...family('model', {}, [
    row('glb', 'model/gltf-binary', 'glb', bytes([0, 'glTF']), gltf),
    row('obj', 'model/obj', 'obj', TEXT, obj),
    row('stl', 'model/stl', 'stl', { kind: 'stl' }, stl),
    row('ply', 'model/ply', 'ply', PLY, ply),
    row('dae', 'model/vnd.collada+xml', 'dae', { kind: 'text', starts: rootElement('COLLADA') }, dae),
    row('fbx', 'application/vnd.autodesk.fbx', 'fbx', FBX, fbx),
  ]),
  ...family('model', { zip: true }, [row('3mf', 'model/3mf', '3mf', { kind: 'zip', part: '3D/' }, threeMf)]),
]

function row(name: string, mimeType: string, extensions: string, signature: Signature, load: Reader): Row {
  return { name, mimeType, extensions: extensions.split(' '), signature, load }
}

/** Formats of sound and video that share their first bytes with others. */
function media(of: MediaSignature['of']): Signature {
  return { kind: 'media', of }
}

type Place = readonly [offset: number, bytes: string]

/** The bytes (Latin-1, one character a byte) that stand at these offsets; with `within`, somewhere in so many bytes. */
function bytes(...places: (Place | { within: number })[]): Signature {
  const at = places.filter((place): place is Place => !('within' in place))
  return { kind: 'bytes', at, ...places.find((place) => 'within' in place) }
}

/** XML whose root has this local name: a prolog with comments, instructions and a document type may precede it. */
function rootElement(name: string): RegExp {
  const prolog = String.raw`<!--(?:(?!-->)[^])*-->|<\?(?:(?!\?>)[^])*\?>|<!DOCTYPE[^>[]*(?:\[[^\]]*\]\s*)?>|\s`
  return new RegExp(String.raw`^\ufeff?(?:${prolog})*<(?:[\w.-]+:)?${name}[\s/>]`)
}

function family(
  mediaType: MediaType,
  shared: Partial<Pick<FormatRow, 'profile' | 'zip'>>,
  rows: readonly Row[],
): FormatRow[] {
  return rows.map((row) => ({
    profile: 'script',
    zip: false,
    ...LIMITS[mediaType],
    mediaType,
    ...shared,
    ...row,
  }))
}

/** In bytes, of any format. */
export const LARGEST_FILE = Math.max(...FORMATS.map(({ maxBytes }) => maxBytes))

const BY_NAME = new Map(FORMATS.map((row) => [row.name, row]))

/** The row of a format by its canonical name. @throws RangeError for a name that is not in the table */
export function formatRow(name: string): FormatRow {
  const row = BY_NAME.get(name)
  if (!row) throw new RangeError(`no format is called ${name}`)
  return row
}

/** What the port shows of a row: plain data that may be stored and sent. */
export const asFormat = ({
  name,
  mediaType,
  mimeType,
  extensions,
  maxBytes,
  maxAnalysisBytes,
  maxSeconds,
}: FormatRow): Format => ({
  name,
  mediaType,
  mimeType,
  extensions,
  maxBytes,
  ...(maxAnalysisBytes !== undefined && { maxAnalysisBytes }),
  ...(maxSeconds !== undefined && { maxSeconds }),
})
