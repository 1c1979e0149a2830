import { UnreadableFile, type ImageFacts } from '@medialog/application/ports/understanding'
import sharp from 'sharp'
import { Content } from './content.ts'
import type { Extract } from './extractor.ts'
import { dominantColors } from './image-colors.ts'
import { readExif } from './image-exif.ts'
import { colorMode, damagedPixels, MOST_PIXELS, readHeader } from './image-header.ts'
import { decodeHevc } from './heic-pixels.ts'
import { sampled } from './image-sample.ts'

/**
 * HEIF: the container and its EXIF are read as those of other pictures, pixels in HEVC by a decoder in WASM. Turning
 * and mirroring stand in the container and are applied; what EXIF says of orientation does not count (ISO 23008-12).
 */
export const extract: Extract = async ({ bytes, format }) => {
  const content = new Content()
  const metadata = await readHeader(bytes)
  const { width, height } = metadata
  const facts: ImageFacts = {
    mediaType: 'image',
    width,
    height,
    colorMode: colorMode(metadata),
    dominantColors: await colorsOf(bytes, metadata.compression),
    exif: readExif(metadata.exif, content),
    ...(metadata.pages !== undefined && metadata.pages > 1 && { frameCount: metadata.pages }),
  }
  const { ImageDescription: title, Artist: author } = facts.exif
  return content.medium(format, facts, { title, author })
}

async function colorsOf(bytes: Uint8Array, compression = ''): Promise<ImageFacts['dominantColors']> {
  if (compression === 'hevc') {
    const { width, height, pixelAt } = await decodeHevc(bytes)
    const sample = sampled(width, height, pixelAt)
    return dominantColors(sharp(sample.rgba, { raw: sample }))
  }
  if (compression !== 'av1')
    throw new UnreadableFile('corrupted', 'The picture is of a HEIF kind that is not read.')
  return dominantColors(sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: 'error' })).catch(() => {
    throw damagedPixels()
  })
}
