import { UnreadableFile, type ImageFacts } from '@medialog/application/ports/understanding'
import sharp, { type Sharp } from 'sharp'
import { Content } from './content.ts'
import type { Extract } from './extractor.ts'
import { colorSample, colorsOf } from './image-colors.ts'
import { SvgDrawing } from './svg-drawing.ts'
import { sizeOf } from './svg-size.ts'
import { SvgWords } from './svg-words.ts'
import { readText } from './text-file.ts'
import { declaredEncoding, readXml } from './xml-reader.ts'

/**
 * A drawing's words, size and main colours. It is drawn from a copy made here: without its document type, scripts,
 * links to anything outside the file, and words, whose shapes depend on the fonts of the machine.
 */
export const extract: Extract = async ({ bytes, format }) => {
  const content = new Content()
  const { drawing, words } = readDrawing(bytes, content, SAMPLE_SIDE)
  const { width, height } = drawing.size
  const facts: ImageFacts = {
    mediaType: 'image',
    width: Math.max(1, Math.round(width)),
    height: Math.max(1, Math.round(height)),
    colorMode: 'RGBA',
    dominantColors: await drawnColors(drawing, content),
    exif: {},
    kind: { name: Math.max(width, height) <= 64 ? 'icon' : 'drawing', confidence: 0.9 },
  }
  return content.medium(format, facts, { title: words.title, author: words.author })
}

/** The drawing without its words, `side` pixels wide or high. @throws RangeError where it would be drawn without an end */
export const drawn = (bytes: Uint8Array, side: number): Sharp =>
  draw(readDrawing(bytes, new Content(), side).drawing)

/** As wide or high as is enough to take colours from. */
const SAMPLE_SIDE = 160

function readDrawing(
  bytes: Uint8Array,
  content: Content,
  side: number,
): { drawing: SvgDrawing; words: SvgWords } {
  const { text } = readText(bytes, content, declaredEncoding(bytes))
  const words = new SvgWords(content)
  let drawing: SvgDrawing | undefined
  readXml(text, {
    open(name, attributes) {
      if (!drawing && name !== 'svg')
        throw new UnreadableFile('corrupted', 'The file is XML, but not an SVG drawing.')
      drawing ??= new SvgDrawing(sizeOf(attributes), side)
      drawing.open(name, attributes)
      words.open(name, attributes)
    },
    close(name) {
      drawing!.close(name)
      words.close(name)
    },
    text(piece) {
      drawing?.text(piece)
      words.text(piece)
    },
  })
  return { drawing: drawing!, words }
}

/** @throws RangeError */
function draw(drawing: SvgDrawing): Sharp {
  if (drawing.endless) throw new RangeError('elements refer to each other again and again')
  return sharp(Buffer.from(drawing.toString()), { failOn: 'error' })
}

async function drawnColors(drawing: SvgDrawing, content: Content): Promise<ImageFacts['dominantColors']> {
  try {
    // Drawn once: what follows would have it drawn anew.
    const { data, info } = await draw(drawing)
      .ensureAlpha()
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true })
    return colorsOf(await colorSample(sharp(data, { raw: info })))
  } catch {
    content.warn('The drawing could not be drawn, so its colours are not known.')
    return []
  }
}
