import { listed } from './listed.ts'
import { colorNames, loudnessInWords, scenesInWords } from './media-looks.ts'
import type {
  AudioFacts,
  DocumentFacts,
  Extraction,
  ImageFacts,
  ModelFacts,
  VideoFacts,
} from '@medialog/application/ports'

/** What is known of a file apart from its text, as readable English sentences. Empty where nothing is known. */
export function factsInWords(extraction: Extraction): string {
  const { facts } = extraction
  switch (facts.mediaType) {
    case 'document':
      return documentFacts(extraction, facts)
    case 'image':
      return imageFacts(extraction, facts)
    case 'video':
      return videoFacts(extraction, facts)
    case 'audio':
      return audioFacts(extraction, facts)
    case 'model':
      return modelFacts(extraction, facts)
  }
}

const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`

const sentence = (...parts: (string | number | null | undefined | false)[]): string => {
  const words = parts.filter((part) => part).join(' ')
  return words === '' ? '' : `${words[0]!.toUpperCase()}${words.slice(1)}.`
}

const paragraph = (...sentences: string[]): string => sentences.filter((s) => s !== '').join(' ')

const quoted = (title: string | null | undefined): string => (title ? `“${title}”` : '')

/** Abbreviations are spelt out in reading: `an MP3`, but `a GLB`; some are read as words. */
const SPELT = /^(?!WAV|HEI|FLAC)[AEFHILMNORSX][A-Z0-9]+\b/

const article = (noun: string): string =>
  SPELT.test(noun) || (/^[aeiou]/i.test(noun) && !/^U[A-Z]+\b/.test(noun)) ? `an ${noun}` : `a ${noun}`

const DOCUMENT_KINDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    pdf: 'PDF document',
    docx: 'Word document',
    doc: 'Word document',
    odt: 'OpenDocument text',
    md: 'Markdown document',
    txt: 'text file',
    html: 'web page',
    xml: 'XML document',
    json: 'JSON file',
    epub: 'e-book',
    eml: 'e-mail',
    pptx: 'presentation',
    odp: 'presentation',
    csv: 'CSV table',
    tsv: 'TSV table',
    xlsx: 'spreadsheet',
    xls: 'spreadsheet',
    ods: 'spreadsheet',
    hml: 'Hangul document',
  }),
)

const kindOf = (format: string): string => DOCUMENT_KINDS.get(format) ?? `${format.toUpperCase()} document`

function documentFacts(extraction: Extraction, facts: DocumentFacts): string {
  const kind = kindOf(extraction.format)
  const [table] = extraction.tables
  const delimited = /^[ct]sv$/.test(extraction.format) && table
  const holds = [
    facts.wordCount > 0 ? plural(facts.wordCount, 'word') : '',
    extraction.sections.length > 1 ? plural(extraction.sections.length, 'section') : '',
    extraction.tables.length > 0 && !delimited ? plural(extraction.tables.length, 'table') : '',
    extraction.figureCount > 0 ? plural(extraction.figureCount, 'figure') : '',
  ].filter((part) => part !== '')
  return sentence(
    article(kind),
    extraction.title && `titled ${quoted(extraction.title)}`,
    extraction.author && `by ${extraction.author}`,
    delimited && `of ${plural(table.rows, 'row')} and ${plural(table.columns, 'column')}`,
    facts.pageCount && `of ${plural(facts.pageCount, 'page')}`,
    holds.length > 0 ? `with ${listed(holds)}` : 'without words',
  )
}

/** `3 seconds`, `4:07 minutes`, `1:02:09 hours`. */
function playingTime(seconds: number): string {
  const whole = Math.round(seconds)
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const two = (n: number): string => String(n).padStart(2, '0')
  if (whole < 60) return plural(whole, 'second')
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)} hours` : `${minutes}:${two(rest)} minutes`
}

const shape = (width: number, height: number): string =>
  width > height * 1.05 ? 'landscape' : height > width * 1.05 ? 'portrait' : 'square'

const COLOR_MODES: ReadonlyMap<string, string> = new Map(
  Object.entries({ Gray: 'greyscale', CMYK: 'print colours', RGBA: 'transparency' }),
)

function imageFacts(extraction: Extraction, facts: ImageFacts): string {
  const colors = facts.dominantColors.filter(({ share }) => share >= 0.05).slice(0, 3)
  const mode = COLOR_MODES.get(facts.colorMode)
  const frames = facts.frameCount && facts.frameCount > 1 ? plural(facts.frameCount, 'frame') : ''
  const { Make, Model, DateTimeOriginal, GPSLatitude, GPSLongitude } = facts.exif
  const camera = [Make, Model].filter((part) => part !== undefined && part !== '').join(' ')
  return paragraph(
    facts.seen?.description ?? '',
    sentence(
      `${article(shape(facts.width, facts.height))} ${extraction.format.toUpperCase()} image`,
      quoted(extraction.title),
      `of ${facts.width} × ${facts.height} pixels`,
      mode && `in ${mode}`.replace('in transparency', 'with transparency'),
      frames && `in ${frames}`,
    ),
    sentence(facts.kind && `${howSure(facts.kind.confidence)} ${article(facts.kind.name)}`),
    sentence(
      colors.length > 0 &&
        `mostly ${listed(colors.map(({ name, share }) => `${name} (${Math.round(share * 100)} %)`))}`,
    ),
    sentence(
      (camera || DateTimeOriginal || GPSLatitude !== undefined) && 'taken',
      camera && `with ${camera}`,
      DateTimeOriginal !== undefined && `on ${DateTimeOriginal}`,
      GPSLatitude !== undefined && GPSLongitude !== undefined && `at ${GPSLatitude}, ${GPSLongitude}`,
    ),
  )
}

const howSure = (confidence: number): string =>
  confidence >= 0.9 ? 'almost certainly' : confidence >= 0.7 ? 'probably' : 'perhaps'

/** Names by which people ask for a size, by the shorter side. */
const DEFINITIONS = [
  [2160, '4K'],
  [1080, 'full HD'],
  [720, 'HD'],
] as const

function videoFacts(extraction: Extraction, facts: VideoFacts): string {
  const { artist, album, year, genre, description, keywords, comment, location } = facts.tags ?? {}
  const { width, height } = facts
  const definition = DEFINITIONS.find(([lines]) => Math.min(width, height) >= lines)?.[1]
  return paragraph(
    sentence(
      article(`${shape(width, height)} ${extraction.format.toUpperCase()} video`),
      quoted(extraction.title),
      artist && `by ${artist}`,
      album && `from ${quoted(album)}`,
      year && `(${year})`,
      `of ${playingTime(facts.duration)}`,
      definition && `in ${definition},`,
      `${definition ? '' : 'in '}${width} × ${height} pixels at ${round(facts.frameRate)} ${facts.frameRate === 1 ? 'frame' : 'frames'} a second`,
      facts.codec && `(${facts.codec})`,
    ),
    ...[description, comment].map((words) => sentence(words?.replace(/[.\s]+$/, ''))),
    sentence(genre && `genre: ${genre}`),
    sentence(keywords && `keywords: ${keywords}`),
    sentence(location && `filmed at ${location}`),
    scenesInWords(facts.keyFrames ?? []),
  )
}

function audioFacts(extraction: Extraction, facts: AudioFacts): string {
  const { title, artist, album, year, genre } = facts.tags
  const channels =
    facts.channels === 1 ? 'mono' : facts.channels === 2 ? 'stereo' : `${facts.channels} channels`
  return paragraph(
    sentence(
      `${article(extraction.format.toUpperCase())} recording`,
      quoted(extraction.title ?? title),
      artist && `by ${artist}`,
      album && `from the album ${quoted(album)}`,
      year && `(${year})`,
      `of ${playingTime(facts.duration)}`,
      `in ${channels} at ${round(facts.sampleRate / 1000)} kHz`,
    ),
    sentence(genre && `genre: ${genre}`),
    facts.loudness ? loudnessInWords(facts.loudness) : '',
  )
}

function modelFacts(extraction: Extraction, facts: ModelFacts): string {
  const { x, y, z } = facts.dimensions
  return paragraph(
    sentence(
      `${article(extraction.format.toUpperCase())} model`,
      quoted(extraction.title),
      `with ${plural(facts.vertexCount, 'vertex', 'vertices')} and ${plural(facts.triangleCount, 'triangle')},`,
      `${round(x)} × ${round(y)} × ${round(z)} units, ${proportions(x, y, z)}${detail(facts.triangleCount)}`,
    ),
    sentence(facts.materials.length > 0 && `materials: ${listed(facts.materials.slice(0, 8))}`),
    sentence(facts.colors && `colours: ${listed(colorNames(facts.colors).slice(0, 6))}`),
    sentence(facts.parts.length > 0 && `parts: ${listed(facts.parts.slice(0, 8))}`),
  )
}

/** How a box looks from its sides' ratios. */
function proportions(x: number, y: number, z: number): string {
  const [small, middle, large] = [x, y, z].sort((a, b) => a - b) as [number, number, number]
  if (large <= 0) return 'without extent'
  if (small / large > 0.8) return 'cube-like, about as wide as tall and deep'
  if (small / large < 0.1 && middle / large > 0.5) return 'flat'
  if (middle / large < 0.34) return 'elongated, long and thin'
  return 'box-like'
}

/** How finely its surfaces are made up, in the words of those who make them. */
function detail(triangles: number): string {
  if (triangles >= 100_000) return ', finely meshed (high-poly)'
  return triangles > 0 && triangles < 1_000 ? ', of few triangles (low-poly)' : ''
}

const round = (value: number): string => String(Math.round(value * 100) / 100)
