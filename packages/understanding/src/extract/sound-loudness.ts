import type { Loudness } from '@medialog/application/ports/understanding'
import { MediaDecoder } from '../media/decoder.ts'
import { LoudnessMeter } from '../media/loudness.ts'
import { DecoderMissing } from '../media/module.ts'
import type { Content } from './content.ts'
import { WorkBudget } from './work-budget.ts'

/** Samples of all channels together: ten minutes of stereo at 96 kHz, of 5.1 at 32 kHz. */
const MOST_SAMPLES = 120e6

/** The loudness of a whole recording; null where it cannot be decoded, or not to its end. */
export function loudnessOf(bytes: Uint8Array, content: Content): Loudness | null {
  try {
    const decoder = MediaDecoder.open(bytes, 'sound')
    const meter = new LoudnessMeter(decoder.sampleRate, decoder.channelWeights)
    const budget = new WorkBudget(MOST_SAMPLES)
    for (const sound of decoder.sound()) {
      if (budget.isSpent) return null
      if (!sound) continue
      budget.spend(sound.length * sound[0]!.length)
      meter.add(sound)
    }
    return meter.result()
  } catch (error) {
    // Whatever a damaged stream does to its decoder, the rest of the recording's facts stand.
    if (error instanceof DecoderMissing)
      content.warn('No decoder for sound is installed: its loudness was not measured.')
    return null
  }
}
