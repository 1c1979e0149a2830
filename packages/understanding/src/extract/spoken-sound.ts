import { MediaDecoder, UndecodableMedia } from '../media/decoder.ts'
import { DecoderMissing } from '../media/module.ts'
import { Resampler } from '../media/resampler.ts'
import type { Spoken } from '../pool/protocol.ts'
import { RATE } from '../speech/mel.ts'
import { voiceIn } from '../speech/voice.ts'
import { WorkBudget } from './work-budget.ts'

/** Samples of all channels together: ten minutes of stereo at 96 kHz. */
const MOST_SAMPLES = 120e6
/** More than any recording plays that is let in. */
const MOST_SECONDS = 11 * 60
/** Samples a second. No sound that is spoken has fewer, no recorder makes more. */
const LEAST_RATE = 2_000
const MOST_RATE = 384_000

/**
 * The sound of a recording or film, for who writes down what is said in it: empty where no one can be speaking, as far as it
 * can be decoded where it is damaged later. A sentence where nothing can; null where there is no sound.
 */
export function spokenSound(bytes: Uint8Array): Spoken | string | null {
  let decoder: MediaDecoder
  try {
    decoder = MediaDecoder.open(bytes, 'sound')
  } catch (error) {
    if (error instanceof DecoderMissing)
      return 'No decoder for sound is installed: what is said was not written down.'
    // Whatever else a damaged file does to its decoder, its facts stand.
    return error instanceof UndecodableMedia && error.reason === 'absent' ? null : UNDECODABLE
  }
  if (!(decoder.sampleRate >= LEAST_RATE && decoder.sampleRate <= MOST_RATE)) return UNDECODABLE
  const sound = decoded(decoder)
  const voice = voiceIn(sound)
  const heard = voice.length > 0 ? sound : new Int16Array()
  return { sound: new Uint8Array(heard.buffer, heard.byteOffset, heard.byteLength), voice }
}

const UNDECODABLE = 'The sound could not be decoded: what is said was not written down.'

function decoded(decoder: MediaDecoder): Int16Array {
  const resampler = new Resampler(decoder.sampleRate, RATE)
  const budget = new WorkBudget(MOST_SAMPLES)
  try {
    for (const sound of decoder.sound()) {
      if (budget.isSpent || resampler.length > MOST_SECONDS * RATE) break
      if (!sound) continue
      budget.spend(sound.length * sound[0]!.length)
      resampler.add(sound)
    }
  } catch {
    // Whatever a damaged stream does to its decoder, what came before is sound.
  }
  return resampler.result()
}
