import type { ImageFacts } from '@medialog/application/ports/understanding'
import type { Sharp } from 'sharp'
import type { GreyPicture } from '../ocr/grey-picture.ts'
import { lookForText, type ReadablePicture } from '../ocr/look.ts'
import { recognitionInWords, TextReader, type Reading } from '../ocr/text-reader.ts'
import type { Content } from './content.ts'
import { colorSample, colorsOf } from './image-colors.ts'
import { unreadablePixels } from './image-header.ts'
import { kindOf } from './image-kind.ts'

/** A picture whose pixels are known: of a file, or of one of its pages. */
export interface Picture {
  /** Pixels, as shown. */
  width: number
  height: number
  /** It, turned as shown, each time anew. */
  open: () => Sharp
}

/** Neither writing in black nor in white is lost where the picture is clear. */
const BEHIND_CLEAR = '#808080'

/**
 * Main colours and kind of a picture; its words are added to the content, those of further pages behind them.
 * @throws UnreadableFile `corrupted` where the pixels cannot be read to the end
 */
export async function addPicture(
  picture: Picture,
  exif: ImageFacts['exif'],
  content: Content,
  morePages: readonly Picture[] = [],
): Promise<Pick<ImageFacts, 'dominantColors' | 'kind'>> {
  try {
    const sample = await colorSample(picture.open())
    const readable = inGrey(picture)
    const looked = await lookForText(readable)
    const { width, height } = picture
    const reader = new TextReader()
    let unread = !add(await reader.read(readable, looked), content)
    for (const page of morePages) if (!add(await readPage(page, reader), content)) unread = true
    saySo(reader, unread, content)
    return {
      dominantColors: colorsOf(sample),
      kind: kindOf({ width, height, exif, sample, looked }),
    }
  } catch (error) {
    throw unreadablePixels(error)
  }
}

const inGrey = ({ width, height, open }: Picture): ReadablePicture => ({
  width,
  height,
  async grey(scale): Promise<GreyPicture> {
    const [across, down] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))]
    const { data, info } = await open()
      .flatten({ background: BEHIND_CLEAR })
      .resize(across, down, { fit: 'fill' })
      .toColourspace('b-w')
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true })
    return { width: info.width, height: info.height, pixels: data }
  },
})

/** What a page further on holds is no reason to refuse a file whose first one can be seen. */
const readPage = (page: Picture, reader: TextReader): Promise<Reading> =>
  reader.read(inGrey(page)).catch(() => ({ outcome: 'unread' }))

/** Returns false where there may be words that were not read. */
function add(reading: Reading, content: Content): boolean {
  if (reading.outcome === 'read')
    for (const paragraph of reading.text.paragraphs) content.paragraph(paragraph)
  return reading.outcome !== 'unread'
}

function saySo(reader: TextReader, unread: boolean, content: Content): void {
  const { recognition } = reader
  if (recognition) {
    content.recognition = recognition
    content.warn(`The words were read from the picture by ${recognitionInWords(recognition)}.`)
  }
  if (unread) content.warn('There may be words in the picture that were not read.')
}
