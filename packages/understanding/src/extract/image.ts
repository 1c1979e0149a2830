import { UnreadableFile, type ImageFacts } from '@medialog/application/ports/understanding'
import sharp, { type Metadata } from 'sharp'
import { Content } from './content.ts'
import type { Extract } from './extractor.ts'
import { dominantColors } from './image-colors.ts'
import { readExif } from './image-exif.ts'

/** Larger pictures are refused before a pixel is decoded. */
const MOST_PIXELS = 50_000_000

// One picture at a time: a cache or more threads would only cost memory.
sharp.cache(false)
sharp.concurrency(1)

/** A picture's size as shown, colour mode, main colours and EXIF. */
export const extract: Extract = async ({ bytes, format }) => {
  const content = new Content()
  const metadata = await readHeader(bytes)
  const colors = await dominantColors(sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: 'error' })).catch(
    () => {
      throw new UnreadableFile(
        'corrupted',
        'The picture is damaged: its pixels could not be read to the end.',
      )
    },
  )
  const { width, height } = metadata.autoOrient
  const facts: ImageFacts = {
    mediaType: 'image',
    width,
    height,
    colorMode: colorMode(metadata),
    dominantColors: colors,
    exif: readExif(metadata.exif, content),
    ...(metadata.pages !== undefined && metadata.pages > 1 && { frameCount: metadata.pages }),
  }
  const { ImageDescription: title, Artist: author } = facts.exif
  return content.medium(format, facts, { title, author })
}

async function readHeader(bytes: Uint8Array): Promise<Metadata> {
  const metadata = await sharp(bytes, { limitInputPixels: false, failOn: 'error' })
    .metadata()
    .catch(() => {
      throw new UnreadableFile('corrupted', 'The picture is damaged and could not be opened.')
    })
  if (metadata.width * metadata.height > MOST_PIXELS)
    throw new UnreadableFile(
      'too-large',
      `The picture has ${metadata.width} × ${metadata.height} pixels; at most ${MOST_PIXELS / 1e6} million are read.`,
    )
  return metadata
}

function colorMode({ space, hasAlpha, isPalette }: Metadata): string {
  if (isPalette) return 'Palette'
  if (space === 'b-w' || space === 'grey16') return hasAlpha ? 'GrayA' : 'Gray'
  if (space === 'cmyk') return 'CMYK'
  if (space === 'srgb' || space === 'rgb' || space === 'rgb16') return hasAlpha ? 'RGBA' : 'RGB'
  return space.toUpperCase()
}
