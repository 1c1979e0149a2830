import type { ImageFacts } from '@medialog/application/ports/understanding'
import sharp, { type Metadata } from 'sharp'
import { Content } from './content.ts'
import type { Extract } from './extractor.ts'
import { refuseCut } from './image-cut.ts'
import { readExif, TIFF_STORAGE } from './image-exif.ts'
import { colorMode, MOST_PIXELS, readHeader } from './image-header.ts'
import { addPicture, type Picture } from './picture.ts'

/** The version of a BigTIFF, where a TIFF has 42. */
const BIG = 43
/** Pages of a TIFF beyond these are counted, not read. */
const MOST_PAGES = 20

/**
 * A picture's size as shown, colour mode, EXIF; main colours, kind and words, of the first frame where it moves and of
 * every page of a TIFF.
 */
export const extract: Extract = async ({ bytes, format }) => {
  const content = new Content()
  refuseCut(bytes)
  const metadata = await readHeader(bytes)
  const { width, height } = metadata.autoOrient
  // A TIFF is its own EXIF block: one structure, read by the same tags. A BigTIFF is built otherwise.
  const exif =
    metadata.format === 'tiff' && !bytes.subarray(2, 4).includes(BIG)
      ? readExif(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), content, TIFF_STORAGE)
      : readExif(metadata.exif, content)
  const seen = await addPicture(
    pageOf(bytes, 0, metadata),
    exif,
    content,
    await morePages(bytes, metadata, content),
  )
  const facts: ImageFacts = {
    mediaType: 'image',
    width,
    height,
    colorMode: colorMode(metadata),
    exif,
    ...seen,
    ...(metadata.pages !== undefined && metadata.pages > 1 && { frameCount: metadata.pages }),
  }
  const { ImageDescription: title, Artist: author } = facts.exif
  return content.medium(format, facts, { title, author })
}

const pageOf = (bytes: Uint8Array, page: number, { autoOrient }: Metadata): Picture => ({
  ...autoOrient,
  open: () => sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: 'error', page }).autoOrient(),
})

async function morePages(bytes: Uint8Array, metadata: Metadata, content: Content): Promise<Picture[]> {
  const { format, pages = 1 } = metadata
  if (format !== 'tiff') return []
  if (pages > MOST_PAGES) content.warn(`Words were looked for on the first ${MOST_PAGES} of ${pages} pages.`)
  const numbers = Array.from({ length: Math.min(pages, MOST_PAGES) - 1 }, (_, index) => index + 1)
  const headers = numbers.map((page) => sharp(bytes, { limitInputPixels: MOST_PIXELS, page }).metadata())
  const known = await Promise.allSettled(headers)
  return known.flatMap((header, index) =>
    header.status === 'fulfilled' ? [pageOf(bytes, index + 1, header.value)] : [],
  )
}
