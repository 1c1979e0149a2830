import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { useServer } from '../harness/suite.ts'

const server = useServer()

test('memory stays small: idle with the embedder loaded, and while a 50 MB file comes in', async () => {
  const resident = () =>
    Number(execFileSync('ps', ['-o', 'rss=', '-p', String(server.running.pid)]).toString()) / 1024
  const { client } = server
  await client.request('POST', '/v1/search', { json: { query: 'what is loaded by now' } })
  // The second embedding session and the enricher's thread are closed after half a minute without work.
  const deadline = Date.now() + 120_000
  while (resident() > 400 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 1_000))
  const idle = resident()
  expect(idle).toBeLessThanOrEqual(400)
  let peak = idle
  const sampling = setInterval(() => (peak = Math.max(peak, resident())), 10)
  const { status } = await client.upload('long.wav', longWave(49_500_000))
  clearInterval(sampling)
  expect(status).toBe(200)
  // Garbage of network buffers included: several copies of the file would show, one is ruled out by the edge's tests.
  expect(peak - idle).toBeLessThanOrEqual(200)
}, 300_000)

/** A little over four minutes of silence, which no upload limit minds: 16 bits, one channel, 96 kHz. */
function longWave(bytes: number): Buffer<ArrayBuffer> {
  const file = Buffer.alloc(44 + bytes)
  file.write('RIFF', 0)
  file.writeUInt32LE(36 + bytes, 4)
  file.write('WAVEfmt ', 8)
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(96_000, 24)
  file.writeUInt32LE(192_000, 28)
  file.writeUInt16LE(2, 32)
  file.writeUInt16LE(16, 34)
  file.write('data', 36)
  file.writeUInt32LE(bytes, 40)
  return file
}
