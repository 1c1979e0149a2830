import { formatRow } from '../formats.ts'
import { beginFile, readPicturesWith } from '../ocr/text-reader.ts'
import type { ChildSettings } from './command.ts'
import { send, serve, spans } from './serve.ts'

const { trained, recognitionMs } = JSON.parse(process.argv[2]!) as ChildSettings
readPicturesWith({ trained, milliseconds: recognitionMs, onStart: () => send({ kind: 'recognizing' }) })

// The entry of an extractor child. Libraries are loaded with the first file that needs them.
serve(async (file) => {
  beginFile()
  const row = formatRow(file.format.name)
  if (row.zip && isZip(file.bytes)) await (await import('../archive/budget.ts')).checkArchive(file.bytes)
  const { extract } = await row.load()
  const { thumbnails, ...extraction } = await extract(file)
  const pictures = thumbnails && { thumbnails }
  if (extraction.text === '') return { extraction, passages: [], ...pictures }
  const { bodyChunks } = await import('../chunk.ts')
  return { extraction, passages: spans(bodyChunks(extraction)), ...pictures }
})

/** A format of zips may come in another wrapper (a locked document): its extractor knows that one. */
const isZip = ([p, k]: Uint8Array): boolean => p === 0x50 && k === 0x4b
