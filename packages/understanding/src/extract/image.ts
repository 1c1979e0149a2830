import type { ImageFacts } from '@medialog/application/ports/understanding'
import sharp from 'sharp'
import { Content } from './content.ts'
import type { Extract } from './extractor.ts'
import { dominantColors } from './image-colors.ts'
import { refuseCut } from './image-cut.ts'
import { readExif, TIFF_STORAGE } from './image-exif.ts'
import { colorMode, damagedPixels, MOST_PIXELS, readHeader } from './image-header.ts'

/** A picture's size as shown, colour mode, main colours (of the first frame or page) and EXIF. */
export const extract: Extract = async ({ bytes, format }) => {
  const content = new Content()
  refuseCut(bytes)
  const metadata = await readHeader(bytes)
  const colors = await dominantColors(sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: 'error' })).catch(
    () => {
      throw damagedPixels()
    },
  )
  const { width, height } = metadata.autoOrient
  const facts: ImageFacts = {
    mediaType: 'image',
    width,
    height,
    colorMode: colorMode(metadata),
    dominantColors: colors,
    // A TIFF is its own EXIF block: one structure, read by the same tags.
    exif:
      metadata.format === 'tiff'
        ? readExif(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), content, TIFF_STORAGE)
        : readExif(metadata.exif, content),
    ...(metadata.pages !== undefined && metadata.pages > 1 && { frameCount: metadata.pages }),
  }
  const { ImageDescription: title, Artist: author } = facts.exif
  return content.medium(format, facts, { title, author })
}
