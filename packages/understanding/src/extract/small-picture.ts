import sharp, { type Sharp } from 'sharp'
import { readBitmapHeader } from './bmp-header.ts'
import { bitmapPixels } from './bmp-pixels.ts'
import type { ReadableFile } from './extractor.ts'
import { decodeHevc } from './heic-pixels.ts'
import { MOST_PIXELS, readHeader } from './image-header.ts'
import { sampled, type PixelAt } from './image-sample.ts'

const QUALITY = 80

/** A JPEG, with its size in pixels. */
export interface SmallPicture {
  jpeg: Uint8Array
  width: number
  height: number
}

/**
 * A copy of a picture to be looked at: JPEG, at most `side` pixels a side, upright, on white, its first frame or page, and
 * without metadata, so without places and names too; a drawing without its words. Null where none can be made.
 */
export async function smallPicture(file: ReadableFile, side: number): Promise<SmallPicture | null> {
  try {
    const picture = await opened(file, side)
    const copy = await picture
      .autoOrient()
      .resize(side, side, { fit: 'inside', withoutEnlargement: true })
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .jpeg({ quality: QUALITY })
      .toBuffer({ resolveWithObject: true })
    return { jpeg: copy.data, width: copy.info.width, height: copy.info.height }
  } catch {
    // What the picture is has been told already: nobody but the model misses the copy.
    return null
  }
}

async function opened({ bytes, format }: ReadableFile, side: number): Promise<Sharp> {
  if (format.name === 'svg') return (await import('./svg.ts')).drawn(bytes, side)
  if (format.name === 'bmp') {
    const header = readBitmapHeader(bytes)
    return fromPixels(header.width, header.height, bitmapPixels(bytes, header), side)
  }
  if (format.name === 'heic' && (await readHeader(bytes)).compression === 'hevc') {
    const { width, height, pixelAt } = await decodeHevc(bytes)
    return fromPixels(width, height, pixelAt, side)
  }
  return sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: 'error' })
}

function fromPixels(width: number, height: number, pixelAt: PixelAt, side: number): Sharp {
  const sample = sampled(width, height, pixelAt, side)
  return sharp(sample.rgba, { raw: sample })
}
