import { UnreadableFile } from '@medialog/application/ports/understanding'
import sharp, { type Metadata } from 'sharp'

/** Larger pictures are refused before a pixel is decoded. */
export const MOST_PIXELS = 50_000_000

// One picture at a time: a cache or more threads would only cost memory.
sharp.cache(false)
sharp.concurrency(1)

/** What a picture's header states. @throws UnreadableFile also for more pixels than are read */
export async function readHeader(bytes: Uint8Array): Promise<Metadata> {
  const metadata = await sharp(bytes, { limitInputPixels: false, failOn: 'error' })
    .metadata()
    .catch((error: unknown) => {
      throw unreadable(error, 'The picture is damaged and could not be opened.')
    })
  refusePixels(metadata.width, metadata.height)
  return metadata
}

/** @throws UnreadableFile `too-large` */
export function refusePixels(width: number, height: number): void {
  if (width * height > MOST_PIXELS)
    throw new UnreadableFile(
      'too-large',
      `The picture has ${width} × ${height} pixels; at most ${MOST_PIXELS / 1e6} million are read.`,
    )
}

export function colorMode({ space, hasAlpha, isPalette }: Metadata): string {
  if (isPalette) return 'Palette'
  if (space === 'b-w' || space === 'grey16') return hasAlpha ? 'GrayA' : 'Gray'
  if (space === 'cmyk') return 'CMYK'
  if (space === 'srgb' || space === 'rgb' || space === 'rgb16') return hasAlpha ? 'RGBA' : 'RGB'
  return space.toUpperCase()
}

const CUT = 'The picture is damaged: its pixels could not be read to the end.'
export const damagedPixels = (): UnreadableFile => new UnreadableFile('corrupted', CUT)

/** Why pixels could not be decoded. */
export const unreadablePixels = (error: unknown): UnreadableFile => unreadable(error, CUT)

/** What libvips says of pictures that are whole, but of a kind that it does not know, and the name of that kind. */
const UNKNOWN: readonly [RegExp, string][] = [
  [/tiff2vips: (.+?) (?:support is not configured|not supported)/, '$1'],
  [/samples_per_pixel not a whole number of bytes/, 'samples of no whole number of bytes'],
  [/bad labq format/, 'CIELAB'],
]
const TOO_LARGE = /exceeds the security limit/

function unreadable(error: unknown, damaged: string): UnreadableFile {
  if (error instanceof UnreadableFile) return error
  const said = String(error)
  if (TOO_LARGE.test(said))
    return new UnreadableFile('too-large', 'The picture has more parts than are read.')
  const [unknown] = UNKNOWN.flatMap(([pattern, name]) => pattern.exec(said)?.[0].replace(pattern, name) ?? [])
  if (unknown === undefined) return new UnreadableFile('corrupted', damaged)
  return new UnreadableFile('corrupted', `The picture is stored in a way that is not read (${unknown}).`)
}
