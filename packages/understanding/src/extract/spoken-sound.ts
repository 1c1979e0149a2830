import { MediaDecoder } from '../media/decoder.ts'
import { Resampler } from '../media/resampler.ts'
import { RATE } from '../speech/mel.ts'
import { voiceIn, type Stretch } from '../speech/voice.ts'
import { WorkBudget } from './work-budget.ts'

/** Samples of all channels together: ten minutes of stereo at 96 kHz. */
const MOST_SAMPLES = 120e6

/** Samples of 16 bits in one channel, RATE a second, and where somebody may be speaking. */
export interface SpokenSound {
  sound: Int16Array
  voice: Stretch[]
}

/**
 * The sound of a recording or a film, for who writes down what is said in it. Null where there is none, nobody can be speaking in
 * it, or it cannot be decoded: as far as it can, where it is damaged later.
 */
export function spokenSound(bytes: Uint8Array): SpokenSound | null {
  const sound = decoded(bytes)
  const voice = sound ? voiceIn(sound) : []
  return sound && voice.length > 0 ? { sound, voice } : null
}

function decoded(bytes: Uint8Array): Int16Array | null {
  let resampler: Resampler | null = null
  try {
    const decoder = MediaDecoder.open(bytes, 'sound')
    resampler = new Resampler(decoder.sampleRate, RATE)
    const budget = new WorkBudget(MOST_SAMPLES)
    for (const sound of decoder.sound()) {
      if (budget.isSpent) break
      if (!sound) continue
      budget.spend(sound.length * sound[0]!.length)
      resampler.add(sound)
    }
  } catch {
    // Whatever a damaged stream does to its decoder, what came before is sound.
  }
  return resampler?.result() ?? null
}
