import { afterAll, expect, test } from 'vitest'
import { ExtractorPool } from '../pool/pool.ts'
import type { Spoken } from '../pool/protocol.ts'
import { RATE } from '../speech/mel.ts'
import { fixtureFile, readFixture } from '../testing/fixtures.ts'
import { longRecording } from '../testing/long-recording.ts'
import { Content } from './content.ts'
import { soundOf } from './sound.ts'

/** The sound, or the warning in its place. */
function spokenSound(bytes: Uint8Array): Spoken | string | null {
  const content = new Content()
  const { spoken } = soundOf(bytes, content, { loudness: false, speech: true })
  return spoken ?? content.warnings[0] ?? null
}

const pool = new ExtractorPool()
afterAll(() => pool.close())

test('the sound of a recording comes with the stretches in which someone may be speaking', async () => {
  const { spoken } = await pool.extract(await fixtureFile('audio/speech.ogg'), { withSpeech: true })
  const seconds = spoken!.voice.map((stretch) => stretch.map((sample) => sample / RATE))
  expect(spoken!.sound.length / 2 / RATE).toBeCloseTo(21.18, 1)
  // Before the last sentence there are two and a half seconds of silence.
  const last = seconds.at(-1)!
  expect(last[0]).toBeGreaterThan(17.4)
  expect(seconds.at(-2)![1]).toBeLessThan(15.8)
  expect(last[1]).toBeLessThanOrEqual(21.2)
})

test('it does not where that was not asked for, and is empty where no one can be speaking', async () => {
  const file = await fixtureFile('audio/speech.ogg')
  expect(await pool.extract(file)).not.toHaveProperty('spoken')
  for (const name of ['images/sample.jpg', 'demo/kimchi.txt'])
    expect(await pool.extract(await fixtureFile(name), { withSpeech: true })).not.toHaveProperty('spoken')
  for (const name of ['audio/sample.mp3', 'video/sample.mp4']) {
    const { spoken } = await pool.extract(await fixtureFile(name), { withSpeech: true })
    expect([spoken!.sound.length, spoken!.voice]).toEqual([0, []])
  }
})

test('of a damaged recording it is what can be decoded', async () => {
  const bytes = await readFixture('audio/speech.ogg')
  const { sound } = spokenSound(bytes.subarray(0, bytes.length / 2)) as Spoken
  expect(sound.length / 2 / RATE).toBeGreaterThan(5)
  expect(sound.length / 2 / RATE).toBeLessThan(15)
  expect(spokenSound(bytes.subarray(0, 100))).toContain('could not be decoded')
})

/** A WAV that states any rate. */
async function statedRate(hertz: number): Promise<Uint8Array> {
  const bytes = Buffer.from(await longRecording(1))
  bytes.writeUInt32LE(hertz, 24)
  bytes.writeUInt32LE(2 * hertz, 28)
  return bytes
}

test.each([1, 1_999, 384_001, 2 ** 30])('sound of %i samples a second is not listened to', async (hertz) => {
  expect(spokenSound(await statedRate(hertz))).toContain('could not be decoded')
})

test('of sound that goes on and on the first eleven minutes are', async () => {
  const slow = await statedRate(2_000)
  const bytes = Buffer.concat([slow, ...Array.from({ length: 6 }, () => slow.subarray(44))])
  bytes.writeUInt32LE(bytes.length - 44, 40)
  const { sound } = spokenSound(bytes) as Spoken
  expect(sound.length / 2 / RATE).toBeGreaterThan(11 * 60)
  expect(sound.length / 2 / RATE).toBeLessThan(12 * 60)
})

test('a film without sound has none', async () => {
  const film = await readFixture('video/recorded.webm')
  expect(spokenSound(film)).toBeNull()
})
