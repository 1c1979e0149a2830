import { expect, test, vi } from 'vitest'
import { useServer } from '../harness/suite.ts'

// Words of several pictures are read, on a machine that may be busy.
vi.setConfig({ testTimeout: 120_000 })

const FIXTURES = new URL('../../fixtures/', import.meta.url).pathname
const server = useServer()

const upload = async (name: string): Promise<string> => {
  const { status, body } = await server.client.uploadFile(FIXTURES + name)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.data.media_id
}
const read = async (id: string) =>
  (await server.client.request('GET', `/v1/media/${id}?include_chunks=true`)).body.data
const search = async (json: object) => {
  const { status, body } = await server.client.request('POST', '/v1/search', { json })
  expect(status, JSON.stringify(body)).toBe(200)
  return body.data.results
}

test('a picture of a text is found by a word in it, and says how it was read', async () => {
  const letter = await upload('images/letter_scan.jpg')
  const screenshot = await upload('images/screenshot.png')
  const scanned = await upload('documents/sample_scanned.pdf')
  await upload('documents/sample.docx')

  const [first] = await search({ query: 'broken panes', min_score: 0.1 })
  expect(first).toMatchObject({ media_id: letter, media_type: 'image' })
  expect(first.passage.text).toContain('Report broken panes to the harbour master at once.')
  expect((await search({ query: 'cardamom' }))[0].media_id).toBe(screenshot)
  expect((await search({ query: '4711' }))[0].media_id).toBe(scanned)

  const item = await read(letter)
  expect(item.content.text).toContain('Permit 2291 for the lighthouse keeper')
  expect(item.metadata.modality).toMatchObject({
    visual_attributes: { kind: 'scan', kind_confidence: 0.9 },
    text_recognition: { method: 'tesseract-5-lstm', languages: ['eng'], words: 43, words_left_out: 0 },
  })
  expect(item.metadata.processing.warnings).toEqual([expect.stringContaining('OCR, mean confidence 9')])
  const document = await read(scanned)
  expect(document.metadata.modality.text_recognition).toMatchObject({ pages: [1], words: 6 })
  expect(document.file_info).toMatchObject({ page_count: 1, word_count: 6 })

  const [scan] = await search({ query: 'lighthouse', modality: { type: 'image', features: ['scan'] } })
  expect(scan.media_id).toBe(letter)
})

test('a text without pictures says nothing of reading them', async () => {
  const { body } = await server.client.upload(
    'plain.txt',
    'The tide table hangs beside the door of the boathouse.',
  )
  const { metadata } = await read(body.data.media_id)
  expect(metadata.modality).not.toHaveProperty('text_recognition')
  expect(metadata.processing.warnings).toEqual([])
})
