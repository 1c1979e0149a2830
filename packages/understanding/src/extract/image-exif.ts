import exif from 'exif-reader'
import { line } from '../text/clean.ts'
import type { Content } from './content.ts'

type Values = { [tag: string]: string | number }

const MOST_TAGS = 150
/** Places inside the EXIF block: they say nothing of the picture. */
const POINTERS = new Set(['ExifTag', 'GPSTag', 'InteroperabilityTag', 'MakerNote'])
/** How a TIFF stores its pixels: in a block of a JPEG these would be the thumbnail's. */
export const TIFF_STORAGE: ReadonlySet<string> = new Set(
  (
    'NewSubfileType SubfileType ImageWidth ImageLength BitsPerSample Compression PhotometricInterpretation FillOrder ' +
    'StripOffsets SamplesPerPixel RowsPerStrip StripByteCounts PlanarConfiguration Predictor ColorMap TileWidth ' +
    'TileLength TileOffsets TileByteCounts SubIFDs InkSet ExtraSamples SampleFormat JPEGTables PageNumber XMLPacket ' +
    'TransferFunction WhitePoint PrimaryChromaticities ReferenceBlackWhite'
  ).split(' '),
)

/**
 * EXIF by the standard's tag names, values as people read them: dates as ISO 8601 without a zone (EXIF states none),
 * GPSLatitude and GPSLongitude in degrees (south and west negative), GPSAltitude in metres (below the sea negative). Tags of the names in `without` are left out.
 */
export function readExif(
  block: Buffer | undefined,
  content: Content,
  without: ReadonlySet<string> = new Set(),
): Values {
  if (!block) return {}
  try {
    const { Image, Photo, GPSInfo } = exif(block)
    return Object.fromEntries(
      Object.entries({ ...flat(Image), ...flat(Photo), ...gps(GPSInfo) })
        .filter(([tag]) => !without.has(tag))
        .slice(0, MOST_TAGS),
    )
  } catch {
    content.warn('The EXIF block is damaged and was left out.')
    return {}
  }
}

const flat = (tags: object | undefined): Values =>
  Object.fromEntries(
    Object.entries(tags ?? {}).flatMap(([tag, value]) => {
      const readable = asPeopleRead(value)
      return readable === null || POINTERS.has(tag) ? [] : [[tag, readable]]
    }),
  )

function asPeopleRead(value: unknown): string | number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString().slice(0, 19)
  if (Array.isArray(value) && value.length <= 16) return line(value.join(', '))
  return typeof value === 'string' ? line(value) : null
}

function gps(tags: object | undefined): Values {
  const found = tags as Record<string, unknown> | undefined
  if (!found) return {}
  const latitude = degrees(found['GPSLatitude'], found['GPSLatitudeRef'] === 'S')
  const longitude = degrees(found['GPSLongitude'], found['GPSLongitudeRef'] === 'W')
  const altitude = metres(found['GPSAltitude'], found['GPSAltitudeRef'])
  return {
    ...(latitude !== null && { GPSLatitude: latitude }),
    ...(longitude !== null && { GPSLongitude: longitude }),
    ...(altitude !== null && { GPSAltitude: altitude }),
  }
}

/** Degrees, minutes and seconds as one number of degrees, to about a centimetre. */
function degrees(value: unknown, negative: boolean): number | null {
  if (!Array.isArray(value)) return null
  const [whole = 0, minutes = 0, seconds = 0] = value as number[]
  const sum = whole + minutes / 60 + seconds / 3600
  return Number.isFinite(sum) && sum <= 180 ? Math.round((negative ? -sum : sum) * 1e7) / 1e7 : null
}

function metres(value: unknown, reference: unknown): number | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return null
  const below = reference === 1 || (reference instanceof Uint8Array && reference[0] === 1)
  return below ? -value : value
}
