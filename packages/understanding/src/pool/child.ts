import type { Extraction } from '@medialog/application/ports/understanding'
import type { ReadableFile } from '../extract/extractor.ts'
import type { SmallPicture } from '../extract/small-picture.ts'
import { formatRow } from '../formats.ts'
import { beginFile, readPicturesWith } from '../ocr/text-reader.ts'
import { isZip } from '../signature.ts'
import { channel } from './channel.ts'
import type { ChildSettings } from './command.ts'
import type { Extracted, Span } from './protocol.ts'
import { serve, spans } from './serve.ts'

const { trained, recognitionMs, lookingMs } = JSON.parse(process.argv[2]!) as ChildSettings
readPicturesWith({
  trained,
  milliseconds: recognitionMs,
  lookingMs,
  onStart: () => channel.send({ kind: 'recognizing' }),
})

// The entry of an extractor child. Libraries are loaded with the first file that needs them.
serve(async (file, { withPicture, withPreview, withSpeech }) => {
  beginFile()
  const row = formatRow(file.format.name)
  if (row.zip && isZip(file.bytes)) await (await import('../archive/budget.ts')).checkArchive(file.bytes)
  const { extract } = await row.load()
  const { thumbnails, spoken, ...extraction } = await extract({ ...file, withSpeech })
  const isImage = row.mediaType === 'image'
  // Of a drawing a model would not see the words.
  const isSeen = isImage && file.format.name !== 'svg'
  const picture = withPicture && isSeen ? await pictureOf(file, SEEN_SIDE) : null
  const preview = withPreview && isImage ? await pictureOf(file, PREVIEW_SIDE) : null
  return {
    ...(preview ? withPreviewOf(extraction, preview) : { extraction, ...(thumbnails && { thumbnails }) }),
    passages: extraction.text === '' ? [] : await passagesOf(extraction),
    ...(picture && { picture: picture.jpeg }),
    ...(spoken && { spoken }),
  }
})

/** Pixels a side of what a model looks at, and of what is kept. */
const SEEN_SIDE = 1024
const PREVIEW_SIDE = 256

function withPreviewOf(
  extraction: Extraction,
  { jpeg, width, height }: SmallPicture,
): Pick<Extracted, 'extraction' | 'thumbnails'> {
  const { facts } = extraction
  if (facts.mediaType !== 'image') return { extraction }
  const preview = { width, height, bytes: jpeg.length }
  return { extraction: { ...extraction, facts: { ...facts, preview } }, thumbnails: [jpeg] }
}

async function passagesOf(extraction: Extraction): Promise<Span[]> {
  const { bodyChunks } = await import('../chunk.ts')
  return spans(bodyChunks(extraction))
}

async function pictureOf(file: ReadableFile, side: number): Promise<SmallPicture | null> {
  const { smallPicture } = await import('../extract/small-picture.ts')
  return smallPicture(file, side)
}
