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
    .catch(() => {
      throw new UnreadableFile('corrupted', 'The picture is damaged and could not be opened.')
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

export const damagedPixels = (): UnreadableFile =>
  new UnreadableFile('corrupted', 'The picture is damaged: its pixels could not be read to the end.')
