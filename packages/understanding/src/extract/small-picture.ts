import sharp, { type Sharp } from 'sharp'
import { readBitmapHeader } from './bmp-header.ts'
import { bitmapPixels } from './bmp-pixels.ts'
import type { ReadableFile } from './extractor.ts'
import { decodeHevc } from './heic-pixels.ts'
import { MOST_PIXELS, readHeader } from './image-header.ts'
import { sampled, type PixelAt } from './image-sample.ts'

const SIDE = 1024
const QUALITY = 80

/**
 * A copy of a picture to be looked at: JPEG, at most 1024 pixels a side, upright, on white, its first frame or page, and
 * without metadata, so without places and names too. Null where none can be made; drawings have none.
 */
export async function smallPicture(file: ReadableFile): Promise<Uint8Array | null> {
  try {
    const picture = await opened(file)
    const copy = await picture
      ?.autoOrient()
      .resize(SIDE, SIDE, { fit: 'inside', withoutEnlargement: true })
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .jpeg({ quality: QUALITY })
      .toBuffer()
    return copy ?? null
  } catch {
    // What the picture is has been told already: nobody but the model misses the copy.
    return null
  }
}

async function opened({ bytes, format }: ReadableFile): Promise<Sharp | null> {
  if (format.name === 'svg') return null
  if (format.name === 'bmp') {
    const header = readBitmapHeader(bytes)
    return fromPixels(header.width, header.height, bitmapPixels(bytes, header))
  }
  if (format.name === 'heic' && (await readHeader(bytes)).compression === 'hevc') {
    const { width, height, pixelAt } = await decodeHevc(bytes)
    return fromPixels(width, height, pixelAt)
  }
  return sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: 'error' })
}

function fromPixels(width: number, height: number, pixelAt: PixelAt): Sharp {
  const sample = sampled(width, height, pixelAt, SIDE)
  return sharp(sample.rgba, { raw: sample })
}
