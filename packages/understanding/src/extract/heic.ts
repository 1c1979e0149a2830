import { UnreadableFile, type ImageFacts } from '@medialog/application/ports/understanding'
import sharp, { type Metadata } from 'sharp'
import { Content } from './content.ts'
import type { Extract } from './extractor.ts'
import { readExif } from './image-exif.ts'
import { colorMode, MOST_PIXELS, readHeader } from './image-header.ts'
import { decodeHevc } from './heic-pixels.ts'
import { sampled } from './image-sample.ts'
import { addPicture, type Picture } from './picture.ts'

/**
 * HEIF: the container and its EXIF are read as those of other pictures, pixels in HEVC by a decoder in WASM. Turning
 * and mirroring stand in the container and are applied; what EXIF says of orientation does not count (ISO 23008-12).
 */
export const extract: Extract = async ({ bytes, format }) => {
  const content = new Content()
  const metadata = await readHeader(bytes)
  const { width, height } = metadata
  const exif = readExif(metadata.exif, content)
  const facts: ImageFacts = {
    mediaType: 'image',
    width,
    height,
    colorMode: colorMode(metadata),
    exif,
    ...(await addPicture(await pictureIn(bytes, metadata), exif, content)),
    ...(metadata.pages !== undefined && metadata.pages > 1 && { frameCount: metadata.pages }),
  }
  const { ImageDescription: title, Artist: author } = facts.exif
  return content.medium(format, facts, { title, author })
}

async function pictureIn(bytes: Uint8Array, { compression, width, height }: Metadata): Promise<Picture> {
  if (compression === 'hevc') {
    const decoded = await decodeHevc(bytes)
    const sample = sampled(decoded.width, decoded.height, decoded.pixelAt)
    return { ...sample, open: () => sharp(sample.rgba, { raw: sample }) }
  }
  if (compression !== 'av1')
    throw new UnreadableFile('corrupted', 'The picture is of a HEIF kind that is not read.')
  return { width, height, open: () => sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: 'error' }) }
}
