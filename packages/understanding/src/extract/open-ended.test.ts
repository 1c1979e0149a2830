import { readFile } from 'node:fs/promises'
import type { AudioFacts } from '@medialog/application/ports/understanding'
import { expect, test } from 'vitest'
import { asFormat, formatRow } from '../formats.ts'
import { withKnownLengths } from './open-ended.ts'

async function durationOf(name: string, bytes: Buffer): Promise<number> {
  const row = formatRow(name)
  const { extract } = await row.load()
  const { facts } = await extract({
    bytes: new Uint8Array(bytes),
    filename: `a.${name}`,
    format: asFormat(row),
  })
  return (facts as AudioFacts).duration
}
const sample = async (name: string) =>
  Buffer.from(await readFile(new URL(`../../../../test/fixtures/audio/sample.${name}`, import.meta.url)))

test.each([0, 0xffffffff, 0x7ffff000])(
  'a WAV whose lengths are %i is read up to the end of the file',
  async (stated) => {
    const wav = await sample('wav')
    const whole = await durationOf('wav', wav)
    const streamed = Buffer.from(wav)
    streamed.writeUInt32LE(stated === 0x7ffff000 ? stated + 36 : stated, 4)
    streamed.writeUInt32LE(stated, streamed.indexOf('data') + 4)
    expect(await durationOf('wav', streamed)).toBeCloseTo(whole, 1)
    streamed.write('RF64')
    expect(await durationOf('wav', streamed)).toBeCloseTo(whole, 1)
  },
)

test.each([0, 0xffffffff])(
  'an AIFF whose lengths are %i is read up to the end of the file',
  async (stated) => {
    const aiff = await sample('aiff')
    const whole = await durationOf('aiff', aiff)
    const streamed = Buffer.from(aiff)
    streamed.writeUInt32BE(stated, 4)
    streamed.writeUInt32BE(stated, streamed.indexOf('SSND') + 4)
    streamed.writeUInt32BE(0, streamed.indexOf('COMM') + 10)
    expect(await durationOf('aiff', streamed)).toBeCloseTo(whole, 1)
  },
)

test('a FLAC whose number of samples is not stated is counted by its frames', async () => {
  const flac = await sample('flac')
  const whole = await durationOf('flac', flac)
  const streamed = Buffer.from(flac)
  const at = streamed.indexOf('fLaC') + 18
  streamed.writeBigUInt64BE(streamed.readBigUInt64BE(at) & ~0xfffffffffn, at)
  expect(await durationOf('flac', streamed)).toBeCloseTo(whole, 3)
  const half = await durationOf('flac', streamed.subarray(0, Math.floor(streamed.length / 2)))
  expect(half).toBeGreaterThan(0.3 * whole)
  expect(half).toBeLessThan(0.7 * whole)
})

test('of several artists all are named', async () => {
  const mp3 = await sample('mp3')
  const names = Buffer.from('\x03Two Ducats\0Ray Lund\0Ålesund 港')
  const frame = Buffer.concat([Buffer.from('TPE1'), Buffer.from([0, 0, 0, names.length, 0, 0]), names])
  const tag = Buffer.concat([
    Buffer.from('ID3\x04\0\0', 'latin1'),
    Buffer.from([0, 0, 0, frame.length]),
    frame,
  ])
  const row = formatRow('mp3')
  const { extract } = await row.load()
  const size =
    mp3.readUInt8(6) * 2 ** 21 + mp3.readUInt8(7) * 2 ** 14 + mp3.readUInt8(8) * 2 ** 7 + mp3.readUInt8(9)
  const untagged = mp3.toString('latin1', 0, 3) === 'ID3' ? mp3.subarray(10 + size) : mp3
  const bytes = new Uint8Array(Buffer.concat([tag, untagged]))
  const { author, facts } = await extract({ bytes, filename: 'a.mp3', format: asFormat(row) })
  const all = 'Two Ducats, Ray Lund, Ålesund 港'
  expect([author, (facts as AudioFacts).tags?.['artist']]).toEqual([all, all])
})

test('files with known lengths are not changed', async () => {
  for (const bytes of [await sample('wav'), await sample('aiff'), await sample('mp3'), Buffer.from('RIFF')])
    expect(withKnownLengths(bytes)).toBe(bytes)
})
