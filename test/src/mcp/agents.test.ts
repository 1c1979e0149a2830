import { readFile } from 'node:fs/promises'
import { StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { connected, CURRENT, dataOf, describeAgents, errorOf, type Data } from './suite.ts'

const RECORDING = new URL('../../fixtures/audio/speech.ogg', import.meta.url)

const OVER_HTTP = (url: string, apiKey: string): Transport =>
  new StreamableHTTPClientTransport(new URL('/mcp', url), {
    requestInit: { headers: { Authorization: `Bearer ${apiKey}` } },
  })

/** Whether what a schema lets in has an end. */
const isBounded = (schema: Data): boolean =>
  schema['type'] === 'string'
    ? 'maxLength' in schema || 'enum' in schema || 'pattern' in schema
    : schema['type'] === 'array'
      ? 'maxItems' in schema && isBounded(schema['items'])
      : ['boolean', 'integer', 'number'].includes(schema['type'])

// What tools answer is the same whichever way they are called: it is tested here alone.
describeAgents('over HTTP', OVER_HTTP, (service) => {
  test('a question is answered from the collections that it names', async () => {
    const { apiKey } = await service().openAccount('read', 'write')
    await using agent = await connected(OVER_HTTP(service().url, apiKey), CURRENT)
    const call = async (name: string, given: object) =>
      dataOf(await agent.callTool({ name, arguments: { ...given } }))
    for (const [collection, year] of [
      ['venice', 1591],
      ['copy', 1934],
    ] as const)
      await call('upload', {
        filename: `${collection}.txt`,
        text: `The Rialto bridge of ${collection} opened in ${year}.`,
        collection,
      })
    const asked = await call('ask', { question: 'When did the Rialto bridge open?', collection: ['copy'] })
    expect(asked.answer).toContain('1934')
    expect(asked.answer).not.toContain('1591')
    expect(asked.sources).toMatchObject([{ filename: 'copy.txt', collection: 'copy' }])
    const context = 'User: Who is the mayor of Kathmandu? Assistant: I believe that it is Leon Moisseiff.'
    const { answer, sources } = await call('ask', { question: 'Who is the mayor of Kathmandu?', context })
    expect([answer, sources]).toEqual([expect.stringContaining('holds no answer'), []])
  })

  test('what is said in a recording is found and cited with its time', async () => {
    const { apiKey } = await service().openAccount('read', 'write')
    await using agent = await connected(OVER_HTTP(service().url, apiKey), CURRENT)
    const call = async (name: string, given: object) =>
      dataOf(await agent.callTool({ name, arguments: { ...given } }))
    const base64 = (await readFile(RECORDING)).toString('base64')
    const { media_id } = await call('upload', { filename: 'read.ogg', base64 })
    const found = await agent.callTool({ name: 'search', arguments: { query: 'leisure to consider' } })
    expect(dataOf(found)['results']).toMatchObject([{ filename: 'read.ogg', at: '0:00' }])
    expect(JSON.stringify(found.content)).toContain('at 0:00')
    const { sources } = await call('ask', { question: 'What had Mr. Dashwood leisure to consider?' })
    expect(sources).toMatchObject([{ filename: 'read.ogg', at: '0:00' }])
    const item = await agent.callTool({ name: 'get_item', arguments: { media_id } })
    expect(dataOf(item)['times']).toEqual([{ text_offset: 0, at: '0:00' }])
    expect(JSON.stringify(item.content)).toContain('[0:00] And Mr. John Dashwood')
  })

  test('collections are listed, filled and deleted; one that is not there is not found', async () => {
    const { apiKey } = await service().openAccount('read', 'write', 'delete')
    await using agent = await connected(OVER_HTTP(service().url, apiKey), CURRENT)
    const call = (name: string, given: object = {}) => agent.callTool({ name, arguments: { ...given } })
    const ids: string[] = []
    for (const n of [1, 2, 3])
      ids.push(dataOf(await call('upload', { filename: `${n}.txt`, text: `Part ${n}.` })).media_id)
    expect(dataOf(await call('move_items', { media_ids: ids.slice(1), collection: 'parts' }))).toMatchObject({
      moved: 2,
      already_there: 0,
    })
    expect(dataOf(await call('list_collections')).collections).toMatchObject([
      { collection: 'default', items: 1 },
      { collection: 'parts', items: 2, by_type: { document: 2 } },
    ])
    const first = dataOf(await call('list_items', { collection: 'parts', page_size: 1 }))
    const rest = dataOf(
      await call('list_items', { collection: 'parts', page_size: 1, cursor: first.next_cursor }),
    )
    const listed: string[] = [first.items[0].media_id, rest.items[0].media_id]
    expect(listed.toSorted()).toEqual(ids.slice(1).toSorted())
    expect(rest).not.toHaveProperty('next_cursor')

    for (const [name, given] of [
      ['search', { query: 'a', collection: ['nowhere'] }],
      ['ask', { question: 'a', collection: ['nowhere'] }],
      ['similar', { media_id: ids[0], collection: ['nowhere'] }],
      ['list_items', { collection: 'nowhere' }],
      ['delete_collection', { collection: 'nowhere' }],
    ] as const)
      expect([name, errorOf(await call(name, given)).code]).toEqual([name, 'COLLECTION_NOT_FOUND'])
    await expect(agent.readResource({ uri: 'medialog://collections/nowhere' })).rejects.toMatchObject({
      data: { code: 'COLLECTION_NOT_FOUND' },
    })

    const deleted = dataOf(await call('delete_collection', { collection: 'parts' }))
    expect(deleted).toMatchObject({
      deleted_items: 2,
      erasure: { erasure_id: expect.stringMatching(/^erasure_/) },
    })
    expect(dataOf(await call('list_collections')).collections).toMatchObject([{ collection: 'default' }])
  })

  test('results are lean, and their schemas hold', async () => {
    const { apiKey } = await service().openAccount('read', 'write', 'delete')
    await using agent = await connected(OVER_HTTP(service().url, apiKey), CURRENT)
    const ajv = new Ajv2020({ strict: true })
    const { tools } = await agent.listTools()
    const schemas = new Map(
      tools.map(({ name, inputSchema, outputSchema }) => {
        for (const [argument, schema] of Object.entries(inputSchema.properties ?? {})) {
          expect([name, argument, schema]).toEqual([
            name,
            argument,
            expect.objectContaining({ description: expect.any(String) }),
          ])
          expect([name, argument, isBounded(schema as Data)]).toEqual([name, argument, true])
        }
        expect(inputSchema.additionalProperties).toBe(false)
        ajv.compile(inputSchema)
        return [name, ajv.compile(outputSchema!)]
      }),
    )
    /** Characters of text that a call answers with. */
    const told = async (name: string, given: object): Promise<[number, Data]> => {
      const result = await agent.callTool({ name, arguments: { ...given } })
      const valid = schemas.get(name)!
      expect(valid(result.structuredContent), JSON.stringify(valid.errors)).toBe(true)
      const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
      expect(text).not.toContain('"cost_usd"')
      return [text.length, dataOf(result)]
    }
    const ids: string[] = []
    for (let n = 0; n < 12; n++) {
      const text = `# Glaciers of part ${n}\n\n${`The glacier number ${n} moves by ${n} metres a day, says Ada Lovelace. `.repeat(110)}`
      const [characters, { media_id }] = await told('upload', {
        filename: `${'glacier '.repeat(20)}${n}.md`,
        text,
        collection: 'c'.repeat(64),
      })
      expect(characters).toBeLessThanOrEqual(600)
      ids.push(media_id)
    }
    const [ten] = await told('search', { query: 'How fast does the glacier move?', max_results: 10 })
    expect(ten).toBeLessThanOrEqual(6_000)
    const [whole, item] = await told('get_item', { media_id: ids[0] })
    expect(whole).toBeLessThanOrEqual(8_000)
    expect(item).not.toHaveProperty('hashes')
    expect((await told('get_item', { media_id: ids[0], text_length: 0 }))[0]).toBeLessThanOrEqual(2_000)
    const [, more] = await told('get_item', {
      media_id: ids[0],
      text_length: 0,
      include: ['hashes', 'headings', 'vectors'],
    })
    expect(more).toMatchObject({
      hashes: { sha256: expect.any(String) },
      headings: [expect.any(String)],
      vectors: { dimensions: 384 },
    })
    const past = await agent.callTool({
      name: 'get_item',
      arguments: { media_id: ids[0], text_offset: 1_000_000 },
    })
    expect(past.content.at(-1)).toMatchObject({
      text: expect.stringContaining(`ends at character ${item.text_characters}`),
    })
    expect((await told('history', { media_id: ids[0] }))[0]).toBeLessThanOrEqual(6_000)
    expect((await told('usage', { transactions: true }))[0]).toBeLessThanOrEqual(1_500)
    await told('list_items', {})
    await told('verify', {})
    await told('similar', { media_id: ids[0] })
    expect((await told('delete_items', { media_ids: ids.slice(0, 1) }))[0]).toBeLessThanOrEqual(1_000)
    const gone = Array.from({ length: 9 }, (_, n) => `doc_0190d3c2-6f0e-5b1a-9c1d-2f6f5f0a7b1${n}`)
    expect((await told('delete_items', { media_ids: [...ids.slice(1), ...gone] }))[0]).toBeLessThanOrEqual(
      4_000,
    )
  })

  test('a task takes seven calls, whose results are short', async () => {
    const { apiKey } = await service().openAccount('read', 'write', 'delete')
    await using agent = await connected(OVER_HTTP(service().url, apiKey), CURRENT)
    // The server declares no capability that it does not have.
    expect(agent.getServerCapabilities()).toEqual({
      tools: { listChanged: false },
      resources: { listChanged: false },
    })
    let characters = 0
    const call = async (name: string, given: object): Promise<Data> => {
      const result = await agent.callTool({ name, arguments: { ...given } })
      characters += result.content.reduce(
        (sum, part) => sum + (part.type === 'text' ? part.text.length : 0),
        0,
      )
      return dataOf(result)
    }
    for (const [filename, text] of [
      ['rialto.txt', 'The Rialto bridge in Venice opened in 1591. It was designed by Antonio da Ponte.'],
      ['tower.txt', 'The Tower Bridge in London opened in 1894. It can be raised for ships.'],
      ['golden.txt', 'The Golden Gate Bridge opened in 1937. It is painted in international orange.'],
    ] as const)
      await call('upload', { filename, text, collection: 'bridges' })
    const { results } = await call('search', { query: 'Who designed the Rialto?', collection: 'bridges' })
    expect(results[0]).toMatchObject({ filename: 'rialto.txt', collection: 'bridges' })
    const { answer } = await call('ask', {
      question: 'When did the Tower Bridge open?',
      collection: ['bridges'],
    })
    expect(answer).toContain('1894')
    expect((await call('usage', {})).spent_by_this_key_usd).toBe(0.13)
    expect((await call('delete_collection', { collection: 'bridges' })).deleted_items).toBe(3)
    // A token has about four characters.
    expect(characters / 4).toBeLessThan(1_500)
  })

  test('a long text and many collections are read page by page', async () => {
    const { apiKey } = await service().openAccount('read', 'write')
    await using agent = await connected(OVER_HTTP(service().url, apiKey), CURRENT)
    const long = `Of the sea. ${'The tide came in and went out again. '.repeat(2_800)}`
    const { media_id } = dataOf(
      await agent.callTool({ name: 'upload', arguments: { filename: 'long.txt', text: long } }),
    )
    let read = ''
    for (let uri: string | undefined = `medialog://items/${media_id}`; uri;) {
      const { contents } = await agent.readResource({ uri })
      expect(JSON.stringify(contents).length).toBeLessThanOrEqual(100_500)
      read += (contents[0] as { text: string }).text
      uri = contents[1]?.uri
    }
    expect(read.length).toBe(
      dataOf(await agent.callTool({ name: 'get_item', arguments: { media_id } })).text_characters,
    )
    expect(read.slice(0, 100)).toBe(long.slice(0, 100))
  })

  test('a file of which only the beginning was read is said to be so', async () => {
    const { apiKey } = await service().openAccount('read', 'write')
    await using agent = await connected(OVER_HTTP(service().url, apiKey), CURRENT)
    // Longer than what is read, of few words.
    const text = `# Begun\n\nOf the sea.\n\n# Cut off\n\n${'x'.repeat(1_500_000)}`
    const result = await agent.callTool({ name: 'upload', arguments: { filename: 'long.md', text } })
    const said = /only its beginning was taken in, its first [\d,]+ words, up to the section “Cut off”/
    expect(dataOf(result).warnings).toEqual([expect.stringMatching(said)])
    expect(JSON.stringify(result.content)).toContain('Not all was read')
  })

  test('a file of this machine has no path for an agent that may be elsewhere', async () => {
    const { apiKey } = await service().openAccount('read', 'write')
    await using agent = await connected(OVER_HTTP(service().url, apiKey), CURRENT)
    expect((await agent.callTool({ name: 'upload', arguments: { path: '/etc/hosts' } })).isError).toBe(true)
  })

  test('without a key that may read, and to pages of elsewhere, there is nothing at /mcp', async () => {
    const { apiKey, keyFor } = await service().openAccount('write')
    const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }
    const post = (headers: Record<string, string>, message: object = PING) =>
      fetch(`${service().url}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: JSON.stringify(message),
      })
    const unknown = await post({})
    expect([unknown.status, unknown.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="Medialog"',
    ])
    expect(await unknown.text()).toContain('Authorization: Bearer')
    expect((await post({ 'x-api-key': apiKey })).status).toBe(403)
    expect((await fetch(`${service().url}/mcp`)).status).toBe(405)
    const reader = { 'x-api-key': await keyFor('read') }
    expect((await post(reader)).status).toBe(200)
    expect((await post(reader, [PING, PING])).status).toBe(400)
    expect((await post({ ...reader, origin: 'http://localhost:3000' })).status).toBe(200)
    expect((await post({ ...reader, origin: 'https://elsewhere.example' })).status).toBe(403)
  })
})
