import { UnreadableFile, type ImageFacts } from '@medialog/application/ports/understanding'
import sharp from 'sharp'
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
  const { text } = readText(bytes, content, declaredEncoding(bytes))
  const words = new SvgWords(content)
  let drawing: SvgDrawing | undefined
  readXml(text, {
    open(name, attributes) {
      if (!drawing && name !== 'svg')
        throw new UnreadableFile('corrupted', 'The file is XML, but not an SVG drawing.')
      drawing ??= new SvgDrawing(sizeOf(attributes))
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
  const { width, height } = drawing!.size
  const facts: ImageFacts = {
    mediaType: 'image',
    width: Math.max(1, Math.round(width)),
    height: Math.max(1, Math.round(height)),
    colorMode: 'RGBA',
    dominantColors: await drawnColors(drawing!, content),
    exif: {},
    kind: { name: Math.max(width, height) <= 64 ? 'icon' : 'drawing', confidence: 0.9 },
  }
  return content.medium(format, facts, { title: words.title, author: words.author })
}

async function drawnColors(drawing: SvgDrawing, content: Content): Promise<ImageFacts['dominantColors']> {
  try {
    if (drawing.endless) throw new RangeError('elements refer to each other again and again')
    // Drawn once: what follows would have it drawn anew.
    const { data, info } = await sharp(Buffer.from(drawing.toString()), { failOn: 'error' })
      .ensureAlpha()
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true })
    return colorsOf(await colorSample(sharp(data, { raw: info })))
  } catch {
    content.warn('The drawing could not be drawn, so its colours are not known.')
    return []
  }
}
