import { expect, test } from 'vitest'
import { filesHolding } from '../harness/files.ts'
import { useServer } from '../harness/suite.ts'
import { expectStatus } from '../harness/expect-status.ts'

const FIXTURES = new URL('../../fixtures/', import.meta.url).pathname

const server = useServer()

const upload = async (path: string, collection: string) =>
  (await server.client.uploadFile(FIXTURES + path, { collection_id: collection })).body.data

async function foundBy(query: string, collection: string): Promise<string[]> {
  const { body } = await server.client.request('POST', '/v1/search', {
    json: { query, collections: collection, config: { lexical_weight: 1 } },
  })
  return body.data.results.map(({ media_id: id }: { media_id: string }) => id)
}

test('a video is found by how it looks; its key frames are shown, and gone when it is deleted', async () => {
  const { media_id: id } = await upload('video/sample.mp4', 'films')
  const path = `/v1/media/${id}`
  const item = (await server.client.request('GET', `${path}?include_chunks=true`)).body.data
  expect(item.metadata.modality.key_frames).toMatchObject([
    { timestamp: 0, kind: 'plain', dominant_colors: [{ name: 'red', share: 1 }] },
    { timestamp: 2, kind: 'drawing' },
  ])
  expect(item.metadata.search.description).toContain('2 scenes: plain red at 0:00; drawn')
  expect(await foundBy('plain red scenes', 'films')).toEqual([id])

  const pictures = item.content.key_frames
  expect(pictures.map(({ timestamp }: { timestamp: number }) => timestamp)).toEqual([0, 2])
  const [header, base64] = pictures[1].thumbnail.split(',')
  expect(header).toBe('data:image/jpeg;base64')
  expect([...Buffer.from(base64, 'base64').subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff])
  // Without content there are no pictures, and no other account gets them.
  expect((await server.client.request('GET', path)).body.data).not.toHaveProperty('content')

  const stored = () => filesHolding(server.folder, [base64])
  expect(await stored()).toHaveLength(1)
  expectStatus(await server.client.request('DELETE', path), 200)
  await expect.poll(stored, { timeout: 40_000 }).toEqual([])
})

test.each(['audio/speech.ogg', 'video/speech.webm'])(
  'what is said in %s is read, found and answered from, with its time',
  async (file) => {
    const collection = file.split('/')[0]!
    const { media_id: id } = await upload(file, collection)
    const { content, metadata } = (
      await server.client.request('GET', `/v1/media/${id}?include_chunks=true&include_metadata=true`)
    ).body.data
    expect(content.transcript).toContain('John Dashwood')
    expect(content.text).toBe(content.transcript)
    const { segments } = content
    const said = segments.find(({ text }: { text: string }) => text.includes('young man'))
    expect(said.start).toBeGreaterThan(5)
    expect(said.end).toBeGreaterThan(said.start)
    expect(said.confidence).toBeGreaterThan(0.5)
    expect(metadata.processing).toMatchObject({
      models: { transcription: 'whisper-base' },
      warnings: [expect.stringMatching(/machine \(whisper-base\), which is \d\d % sure/)],
    })
    expect(metadata.search.summary).toContain('leisure to consider')

    expect(await foundBy('ill-disposed young man', collection)).toEqual([id])
    const { results } = (
      await server.client.request('POST', '/v1/search', {
        json: { query: 'leisure', collections: collection },
      })
    ).body.data
    const span = { start: segments[0].start, end: expect.any(Number) }
    expect(results[0].passage).toMatchObject({ chunk: 1, time: span })
    const query = { query: 'What had Mr. Dashwood leisure to consider?', collections: collection }
    const { response, sources } = (await server.client.request('POST', '/v1/ai/query', { json: query })).body
      .data
    expect(response).toContain('in his power to do for them')
    expect(sources).toMatchObject([{ media_id: id, time: span }])
  },
)

test('a recording in which nothing is said has an empty transcript', async () => {
  const { media_id: id } = await upload('audio/sample.wav', 'sounds')
  const { content, metadata } = (
    await server.client.request('GET', `/v1/media/${id}?include_chunks=true&include_metadata=true`)
  ).body.data
  expect(content).toMatchObject({ text: '', transcript: '', segments: [] })
  expect(metadata.processing.warnings).toEqual([])
})

test('a recording says how loud it is', async () => {
  const { media_id: id } = await upload('audio/sample.flac', 'sounds')
  const { metadata } = (await server.client.request('GET', `/v1/media/${id}`)).body.data
  expect(metadata.modality.stream_attributes.loudness).toEqual({
    integrated_lufs: -21.8,
    peak_dbfs: -21.1,
    silence_share: 0,
  })
  expect(metadata.search.description).toContain('Loudness −21.8 LUFS')
})

test('a model is found by its colours and how it is made', async () => {
  const { media_id: id } = await upload('3d/sample.3mf', 'shapes')
  const { metadata } = (await server.client.request('GET', `/v1/media/${id}`)).body.data
  expect(metadata.modality.model_attributes.colors).toEqual([
    { hex: '#C83232', name: 'red' },
    { hex: '#2850B4', name: 'blue' },
  ])
  expect(await foundBy('low-poly box with few triangles', 'shapes')).toEqual([id])
})

test('status tells of no limitation where everything is installed', async () => {
  const { data } = (await server.client.request('GET', '/v1/status')).body
  expect(data).toMatchObject({ status: 'operational', components: { api: 'operational' } })
  expect(data).not.toHaveProperty('notice')
})
