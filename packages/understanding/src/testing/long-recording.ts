import { Content } from '../extract/content.ts'
import { soundOf } from '../extract/sound.ts'
import type { Spoken } from '../pool/protocol.ts'
import { RATE } from '../speech/mel.ts'
import { readFixture } from './fixtures.ts'

const HEADER = 44

/** The sound of `audio/speech.ogg` as it is listened to. */
export async function spokenFixture(): Promise<Spoken> {
  const wanted = { loudness: false, speech: true }
  return soundOf(await readFixture('audio/speech.ogg'), new Content(), wanted).spoken!
}

/** A WAV in which the reader of `audio/speech.ogg` says the same `times` times: 21 seconds each. */
export async function longRecording(times: number): Promise<Uint8Array> {
  const { sound } = await spokenFixture()
  return wavOf(Array<Uint8Array>(times).fill(sound), RATE)
}

/** A WAV of samples in one channel, each 16 bits, little-endian, `rate` a second. */
export function wavOf(sounds: readonly Uint8Array[], rate: number): Uint8Array {
  const length = sounds.reduce((sum, sound) => sum + sound.length, 0)
  const header = Buffer.alloc(HEADER)
  header.write('RIFF', 0, 'latin1')
  header.writeUInt32LE(HEADER - 8 + length, 4)
  header.write('WAVEfmt ', 8, 'latin1')
  header.writeUInt32LE(16, 16)
  // PCM, in one channel.
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(rate * Int16Array.BYTES_PER_ELEMENT, 28)
  header.writeUInt16LE(Int16Array.BYTES_PER_ELEMENT, 32)
  header.writeUInt16LE(8 * Int16Array.BYTES_PER_ELEMENT, 34)
  header.write('data', 36, 'latin1')
  header.writeUInt32LE(length, 40)
  return Buffer.concat([header, ...sounds])
}

/** The samples of a WAV such as `wavOf` makes. */
export const soundIn = (wav: Buffer): Buffer => wav.subarray(wav.indexOf('data', 12, 'latin1') + 8)
