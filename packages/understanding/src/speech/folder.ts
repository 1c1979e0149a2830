import { access, constants } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { UnusableModel } from '@medialog/embedder'
import { TaskLost } from '../threads.ts'
import { RATE } from './mel.ts'
import { createTranscriber, type Transcriber } from './transcriber.ts'
import { DECODER, ENCODER, TOKENS } from './whisper.ts'

const IN_THE_BOX = fileURLToPath(new URL('../../model/whisper-base', import.meta.url))

/**
 * A transcriber with the model of the folder that is named, tried out on a second of silence; else with that of the box,
 * which is opened with the first recording.
 * @throws UnusableModel where a file of it is missing, or it does not run
 */
export async function openTranscriber(named: string | null): Promise<Transcriber> {
  const folder = named ?? IN_THE_BOX
  for (const file of [ENCODER, DECODER, TOKENS]) {
    try {
      await access(join(folder, file), constants.R_OK)
    } catch (error) {
      throw new UnusableModel(folder, (error as Error).message, { cause: error })
    }
  }
  const transcriber = createTranscriber(folder)
  if (named === null) return transcriber
  try {
    await transcriber.transcribe({ sound: new Uint8Array(2 * RATE), voice: [[0, RATE]] }, tmpdir())
    return transcriber
  } catch (error) {
    await transcriber.close()
    if (!(error instanceof TaskLost)) throw error
    const { cause } = error
    throw new UnusableModel(folder, cause instanceof Error ? cause.message : error.message, { cause: error })
  }
}
