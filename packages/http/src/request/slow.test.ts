import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KEY, startEdge, type Edge } from '../testing/edge.ts'
import { RawClient } from '../testing/raw.ts'

let edge: Edge
beforeAll(async () => {
  edge = await startEdge({ bodyTimeoutMs: 150 })
})
afterAll(() => edge[Symbol.asyncDispose]())

const FORM = '--b\r\nContent-Disposition: form-data; name="file"; filename="note.txt"\r\n\r\nhello'

describe('a body that stops arriving', () => {
  it.each([
    ['/v1/search', 'application/json', '{"query":'],
    ['/v1/media', 'multipart/form-data; boundary=b', FORM],
    ['/v1/media', 'multipart/form-data; boundary=b', ''],
  ])('to %s as %s is answered with 408 and closed', async (path, type, begin) => {
    const client = new RawClient(edge.server.address.port)
    const closed = new Promise((resolve) => client.socket.once('close', resolve))
    client.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${KEY}\r\nContent-Type: ${type}\r\nContent-Length: 5000\r\n\r\n${begin}`,
    )
    const answer = await client.answer()
    expect(answer.status).toBe(408)
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code: 'REQUEST_TIMEOUT' } })
    expect(answer.headers.toLowerCase()).toContain('connection: close')
    await closed
    expect(edge.staging.staged.size).toBe(0)
  })

  const idleMs = 3_000
  /** The status of a file of so many bytes that is sent piece by piece, in a bit more time than a body may stop for. */
  async function statusOfSlow(bytes: number): Promise<number> {
    await using patient = await startEdge({ bodyTimeoutMs: idleMs })
    const client = new RawClient(patient.server.address.port)
    const body = `${FORM}${'x'.repeat(bytes)}\r\n--b--\r\n`
    client.write(
      `POST /v1/media HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${KEY}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${body.length}\r\n\r\n`,
    )
    const pieces = body.match(new RegExp(`[^]{1,${Math.ceil(body.length / 30)}}`, 'g'))!
    for (const piece of pieces) {
      client.write(piece)
      // Each far from the limit.
      await sleep((1.2 * idleMs) / pieces.length)
    }
    const { status } = await client.answer()
    client.close()
    return status
  }

  it('may pause for less than that as often as it likes, while 1 kB a second comes', async () => {
    expect(await statusOfSlow(6_000)).toBe(200)
  })

  it('is answered with 408 where less comes', async () => {
    expect(await statusOfSlow(10)).toBe(408)
  })
})
