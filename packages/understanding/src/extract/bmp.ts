import { UnreadableFile, type ImageFacts } from '@medialog/application/ports/understanding'
import sharp from 'sharp'
import { bitmapPixels } from './bmp-pixels.ts'
import { readBitmapHeader } from './bmp-header.ts'
import { Content } from './content.ts'
import type { Extract } from './extractor.ts'
import { refusePixels } from './image-header.ts'
import { sampled } from './image-sample.ts'
import { addPicture } from './picture.ts'

/**
 * A Windows or OS/2 bitmap: size, colour mode, main colours, kind and words. An own reader: the libraries at hand do
 * not read it, and the small ones believe the sizes that a header states.
 */
export const extract: Extract = async ({ bytes, format }) => {
  const header = readBitmapHeader(bytes)
  const { width, height, bits } = header
  if (width === 0 || height === 0)
    throw new UnreadableFile('corrupted', 'The picture is damaged: its header states no size.')
  refusePixels(width, height)
  const pixels = bitmapPixels(bytes, header)
  const sample = sampled(width, height, pixels)
  const content = new Content()
  const facts: ImageFacts = {
    mediaType: 'image',
    width,
    height,
    colorMode: bits <= 8 ? 'Palette' : header.masks?.alpha ? 'RGBA' : 'RGB',
    exif: {},
    ...(await addPicture({ ...sample, open: () => sharp(sample.rgba, { raw: sample }) }, {}, content)),
  }
  return content.medium(format, facts)
}
