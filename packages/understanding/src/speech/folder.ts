import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { UnusableModel } from '@medialog/embedder'

const IN_THE_BOX = fileURLToPath(new URL('../../model/whisper-base', import.meta.url))

export const ENCODER = 'encoder.onnx'
export const DECODER = 'decoder.onnx'
export const TOKENS = 'tokens.bin'

/** The folder of a model that writes down speech: the one that is named, else that of the box. @throws UnusableModel where a file of it cannot be read */
export async function findSpeechModel(named: string | null): Promise<string> {
  const folder = named ?? IN_THE_BOX
  for (const file of [ENCODER, DECODER, TOKENS]) {
    try {
      await access(join(folder, file), constants.R_OK)
    } catch (error) {
      throw new UnusableModel(folder, (error as Error).message, { cause: error })
    }
  }
  return folder
}
