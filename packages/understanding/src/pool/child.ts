import type { Extraction } from '@medialog/application/ports/understanding'
import type { ReadableFile } from '../extract/extractor.ts'
import { formatRow } from '../formats.ts'
import { beginFile, readPicturesWith } from '../ocr/text-reader.ts'
import { isZip } from '../signature.ts'
import type { ChildSettings } from './command.ts'
import type { Span } from './protocol.ts'
import { send, serve, spans } from './serve.ts'

const { trained, recognitionMs } = JSON.parse(process.argv[2]!) as ChildSettings
readPicturesWith({ trained, milliseconds: recognitionMs, onStart: () => send({ kind: 'recognizing' }) })

// The entry of an extractor child. Libraries are loaded with the first file that needs them.
serve(async (file, { withPicture }) => {
  beginFile()
  const row = formatRow(file.format.name)
  if (row.zip && isZip(file.bytes)) await (await import('../archive/budget.ts')).checkArchive(file.bytes)
  const { extract } = await row.load()
  const { thumbnails, ...extraction } = await extract(file)
  const picture = withPicture && row.mediaType === 'image' ? await pictureOf(file) : null
  return {
    extraction,
    passages: extraction.text === '' ? [] : await passagesOf(extraction),
    ...(thumbnails && { thumbnails }),
    ...(picture && { picture }),
  }
})

async function passagesOf(extraction: Extraction): Promise<Span[]> {
  const { bodyChunks } = await import('../chunk.ts')
  return spans(bodyChunks(extraction))
}

async function pictureOf(file: ReadableFile): Promise<Uint8Array | null> {
  const { smallPicture } = await import('../extract/small-picture.ts')
  return smallPicture(file)
}
