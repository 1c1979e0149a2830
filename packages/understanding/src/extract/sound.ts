import type { Loudness } from '@medialog/application/ports/understanding'
import { MediaDecoder, UndecodableMedia, type Sound } from '../media/decoder.ts'
import { LoudnessMeter } from '../media/loudness.ts'
import { DecoderMissing } from '../media/module.ts'
import { Resampler } from '../media/resampler.ts'
import type { Spoken } from '../pool/protocol.ts'
import { RATE } from '../speech/mel.ts'
import { voiceIn } from '../speech/voice.ts'
import type { Content } from './content.ts'
import { WorkBudget } from './work-budget.ts'

/** Samples of all channels together: ten minutes of stereo at 96 kHz, of 5.1 at 32 kHz. */
const MOST_SAMPLES = 120e6
/** More than any recording plays that is let in. */
const MOST_SECONDS = 11 * 60
/** Samples a second. No sound that is spoken has fewer, no recorder makes more. */
const LEAST_RATE = 2_000
const MOST_RATE = 384_000

interface Wanted {
  loudness: boolean
  speech: boolean
}

/** What is found of a file's sound, which is decoded once for both. */
interface FoundSound {
  /** Of the whole; null where it cannot be decoded, or not to its end. */
  loudness: Loudness | null
  /**
   * For who writes down what is said: empty where no one can be speaking, as far as it can be decoded where it is damaged
   * later. Null where there is none, or it cannot be decoded, which is a warning.
   */
  spoken: Spoken | null
}

export function soundOf(bytes: Uint8Array, content: Content, wanted: Wanted): FoundSound {
  const decoder = opened(bytes, content, wanted)
  if (!decoder) return { loudness: null, spoken: null }
  const meter = wanted.loudness ? new LoudnessMeter(decoder.sampleRate, decoder.channelWeights) : null
  const resampler = wanted.speech ? resamplerFor(decoder, content) : null
  const listeners = [meter, resampler].filter((listener) => listener !== null)
  const isWhole = decode(decoder, listeners.length, (sound) => {
    const isHeard = resampler !== null && resampler.length <= MOST_SECONDS * RATE
    if (isHeard) resampler.add(sound)
    meter?.add(sound)
    return isHeard || meter !== null
  })
  return {
    loudness: isWhole && meter ? meter.result() : null,
    spoken: resampler && spokenIn(resampler.result()),
  }
}

/** Whatever a damaged file does to its decoder, its other facts stand. */
function opened(bytes: Uint8Array, content: Content, { loudness, speech }: Wanted): MediaDecoder | null {
  try {
    return MediaDecoder.open(bytes, 'sound')
  } catch (error) {
    if (error instanceof DecoderMissing) {
      if (loudness) content.warn('No decoder for sound is installed: its loudness was not measured.')
      if (speech) content.warn('No decoder for sound is installed: what is said was not written down.')
    } else if (speech && !(error instanceof UndecodableMedia && error.reason === 'absent'))
      content.warn(UNDECODABLE)
    return null
  }
}

function resamplerFor({ sampleRate }: MediaDecoder, content: Content): Resampler | null {
  if (sampleRate >= LEAST_RATE && sampleRate <= MOST_RATE) return new Resampler(sampleRate, RATE)
  content.warn(UNDECODABLE)
  return null
}

const UNDECODABLE = 'The sound could not be decoded: what is said was not written down.'

/** As long as `take` wants more. False where it ends early: it is damaged there, or too much. */
function decode(decoder: MediaDecoder, purposes: number, take: (sound: Sound) => boolean): boolean {
  const budget = new WorkBudget(MOST_SAMPLES, purposes)
  try {
    for (const sound of decoder.sound()) {
      if (budget.isSpent) return false
      if (!sound) continue
      budget.spend(sound.length * sound[0]!.length)
      if (!take(sound)) return false
    }
    return true
  } catch {
    return false
  }
}

function spokenIn(sound: Int16Array): Spoken {
  const voice = voiceIn(sound)
  const heard = voice.length > 0 ? sound : new Int16Array()
  return { sound: new Uint8Array(heard.buffer, heard.byteOffset, heard.byteLength), voice }
}
