import { describe, expect, test } from 'vitest'
import { fakeContext } from '../testing/context.ts'
import { ok, TIME } from '../testing/wire.ts'

const context = fakeContext()
const { run, json } = context

describe('an account’s commands', () => {
  test('list pages, and says how to go on', async () => {
    const { stdout, code } = await run('list', '--page-size', '2')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ID +TYPE +NAME +COLLECTION +SIZE +ADDED\n/)
    expect(stdout).toContain('Page 1 of 2, 3 items. Next: --page 2')
    expect(stdout).toContain('2026-11-20 13:00')
    expect(await json('list', '--all', '--type', 'document')).toMatchObject({
      pagination: { total_items: 3, has_next: false },
    })
    expect(context.server.requests.at(-1)!.query.get('media_type')).toBe('document')
  })

  test('list of the past says what is not known any more', async () => {
    const then = { media_type: 'document', storage: { created_at: TIME } }
    const items = [
      { ...then, id: 'doc_1', media_id: 'doc_1', erased: true, erased_at: TIME },
      { ...then, id: 'doc_2', media_id: 'doc_2', changed_since: true },
      {
        ...then,
        id: 'doc_3',
        media_id: 'doc_3',
        changed_since: true,
        collection: 'papers',
        file_info: { filename: 'then.txt', size_bytes: 10 },
      },
    ]
    const pages = { page: 1, page_size: 20, total_items: 3, total_pages: 1, has_next: false }
    context.server.intercept(() => ok({ items, pagination: pages, as_of: TIME, undated: 2 }))
    const { stdout } = await run('list', '--as-of', '2026-11-20')
    expect(context.server.requests.at(-1)!.query.get('as_of')).toBe('2026-11-20')
    expect(stdout).toMatch(/^doc_1 +document +erased 2026-11-20 13:00 +2026-11-20 13:00$/m)
    expect(stdout).toMatch(/^doc_2 +document +\(changed since\) +2026-11-20 13:00$/m)
    expect(stdout).toMatch(/^doc_3 +document +then.txt \(changed since\) +papers +10 B +2026-11-20 13:00$/m)
    expect(stdout).toContain('2 items erased since, of which it is not known whether they were there.')

    const none = { ...pages, total_items: 0, total_pages: 0 }
    context.server.intercept(() => ok({ items: [], pagination: none, as_of: TIME, undated: 0 }))
    expect((await run('list', '--as-of', '2026-11-20')).stdout).toBe(
      'Nothing was stored here on 2026-11-20 13:00.\n',
    )
    context.server.intercept(() => null)
    expect((await run('list', '--as-of', 'yesterday')).code).toBe(2)
  })

  test('show says all there is of an item', async () => {
    const { items } = (await json('list')) as { items: [{ id: string }] }
    const { stdout } = await run('show', items[0].id)
    for (const part of [items[0].id, '1 page', 'Ada Lovelace', 'clarity 0.90', 'in 1.2 s'])
      expect(stdout).toContain(part)
    await run('show', items[0].id, '--chunks')
    expect(Object.fromEntries(context.server.requests.at(-1)!.query)).toEqual({ include_chunks: 'true' })
  })

  test('search sends what was asked for and shows score, explanation and passage', async () => {
    const { stdout, code } = await run(
      'search',
      'how',
      'whales',
      'sleep',
      '-c',
      'a,b',
      '--type',
      'document',
      '--max',
      '2',
      '--min-score',
      '0.1',

      '--lexical-weight',
      '0.8',
      '--after',
      '2026-01-01',
      '--topic',
      'sea',
      '--entity',
      'people=Ada Lovelace',
    )
    expect(code).toBe(0)
    expect(context.server.requests.at(-1)!.body).toEqual({
      query: 'how whales sleep',
      collections: ['a', 'b'],
      max_results: 2,
      min_score: 0.1,
      config: { lexical_weight: 0.8 },
      filters: {
        media_type: ['document'],
        created_after: '2026-01-01',
        topics: ['sea'],
        entities: { people: ['Ada Lovelace'] },
      },
    })
    expect(stdout).toContain('███████▌░░  one.txt  75 %')
    expect(stdout).toContain('High confidence')
    expect(stdout).toContain('2 of 3 results in default, 3 ms')
    expect(stdout).toContain('│ A passage of one.txt with red and bells.')
    // oxlint-disable-next-line eslint/no-control-regex -- what must not be there
    expect(stdout).not.toMatch(/[\u0007\u001b]/)
    expect(await json('search', 'whales')).toMatchObject({ results: [{ score: 0.75 }, {}, {}], cost: 0 })
    expect(context.server.requests.at(-1)!.body).toEqual({
      query: 'whales',
      collections: 'all',
      max_results: 10,
      min_score: 0.1,
    })
  })

  test('search follows connections, says what that cost, and is paid once', async () => {
    const { stdout, code } = await run('search', 'whales', '--advanced', '--depth', '2', '--factor', '2.5')
    expect(code).toBe(0)
    expect(stdout).toContain('$0.03 for 2 levels')
    const { body, headers } = context.server.requests.at(-1)!
    expect(body).toMatchObject({
      type: 'advanced',
      config: { context_depth: 2, expansion_factor: 2.5 },
    })
    expect(headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/)
    await run('search', 'whales', '--depth', '0')
    expect(context.server.requests.at(-1)!.body).toMatchObject({
      type: 'advanced',
      config: { context_depth: 0 },
    })
  })

  test('similar sends what was asked for and shows groups', async () => {
    const options = ['--cluster', '--reference', '-t', 'image', '-c', 'a,b', '-n', '3']
    const { stdout, code } = await run('similar', 'vec-1', ...options)
    expect(code).toBe(0)
    expect(context.server.requests.at(-1)!.body).toEqual({
      media_id: 'vec-1',
      collections: ['a', 'b'],
      modality_filter: 'image',
      max_results: 3,
      cluster: true,
      include_reference: true,
    })
    expect(stdout).toContain('whales, sleep  3 items')
    expect(stdout).toContain('similar in content')
    expect(stdout).toContain('3 results in default, 3 ms, $0.01')
    expect((await run('similar', 'vec-1')).stdout).not.toContain('whales, sleep')
  })

  test('delete needs --yes where nobody can be asked, and fails when something was not there', async () => {
    const before = context.server.requests.length
    const unasked = await run('delete', 'doc_x')
    expect([unasked.code, context.server.requests.length]).toEqual([2, before])
    expect(unasked.stderr).toContain('--yes')
    const { code, stdout } = await run('delete', 'doc_x', '--yes', '--reason', 'old')
    expect(code).toBe(1)
    expect(stdout).toContain('✗ doc_x  There is no such media item.')
    expect(context.server.requests.at(-1)!.body).toEqual({ media_ids: ['doc_x'], reason: 'old' })
  })

  test('delete of many goes in requests of a hundred', async () => {
    const ids = Array.from({ length: 150 }, (_, index) => `doc_${index}`)
    const { stdout, code } = await run('delete', ...ids, '--yes', '--json')
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ deleted: { count: 0 }, failed: { count: 150 } })
    expect(context.server.requests.slice(-2).map(({ body }) => (body.media_ids as string[]).length)).toEqual([
      100, 50,
    ])
  })

  test('collections are listed, shown, moved into and deleted', async () => {
    expect((await run('collections', 'list')).stdout).toContain('한국어          7  2026-11-20 13:00')
    expect((await run('collections', 'show', 'default')).stdout).toContain('3 document')
    expect((await run('collections', 'move', 'papers', 'doc_1', 'doc_2')).stdout).toContain(
      '2 items moved to papers',
    )
    expect(context.server.requests.at(-1)!.body).toEqual({ items: ['doc_1', 'doc_2'] })
    expect((await run('collections', 'delete', 'papers')).code).toBe(2)
    expect((await run('collections', 'delete', 'papers', '--yes')).stdout).toContain(
      'papers and 2 items deleted',
    )
  })

  test('usage adds up exactly', async () => {
    const { stdout } = await run('usage', '--detailed', '--group-by', 'month')
    expect(stdout).toMatch(/total +\$0\.30\n/)
    expect(stdout).toMatch(/charge +-\$0\.04 +completed/)
    expect(Object.fromEntries(context.server.requests.at(-1)!.query)).toEqual({
      detailed: 'true',
      group_by: 'month',
    })
  })

  test('status says how the service is, and fails when it is critical', async () => {
    const { stdout } = await run('status')
    expect(stdout).toMatch(/requests +599 of 600 left/)
    expect(stdout).toContain(', version 0.1.0, API 1.0.0')
    const { data } = { data: await json('status') }
    context.server.intercept(({ path }) =>
      path === '/v1/status'
        ? { status: 503, body: { success: false, data: { ...(data as object), status: 'critical' } } }
        : null,
    )
    const critical = await run('status')
    context.server.intercept(() => null)
    expect([critical.code, critical.stdout]).toEqual([1, expect.stringContaining('critical')])
  })
})

describe('questions', () => {
  test('ask sends what was asked for and shows answer, passages and cost', async () => {
    const command =
      'ask how do whales sleep --context Before. --system Brief. --max-tokens 50 --temperature 0'
    const item = 'doc_0190d3c2-6f0e-5b1a-9c1d-2f6f5f0a7b11'
    const { stdout, code } = await run(...command.split(' '), '--item', item)
    expect(code).toBe(0)
    const { body, headers } = context.server.requests.at(-1)!
    expect(body).toEqual({
      query: 'how do whales sleep',
      media_id: 'vec-0190d3c2-6f0e-5b1a-9c1d-2f6f5f0a7b11',
      context: 'Before.',
      system_prompt: 'Brief.',
      max_tokens: 50,
      temperature: 0,
    })
    expect(headers['idempotency-key']).toEqual(expect.any(String))
    for (const part of [
      '“Whales sleep with one half.” [1]',
      '[1] whales.txt passage 2 doc_1',
      'It quotes.',
      '0.01',
    ])
      expect(stdout).toContain(part)
    // oxlint-disable-next-line eslint/no-control-regex -- what must not be there
    expect(stdout).not.toMatch(/[\u0007\u001b]/)
    expect(await json('ask', 'whales')).toMatchObject({ sources: [{ media_id: 'doc_1' }] })
  })

  test('ask --stream shows the same, and fails where the answer breaks off', async () => {
    const plain = await run('ask', 'whales')
    const streamed = await run('ask', 'whales', '--stream')
    expect(context.server.requests.at(-1)!.body).toMatchObject({ stream: true })
    expect(streamed).toEqual(plain)
    const broken = await run('ask', 'break', '--stream')
    expect(broken.code).toBe(1)
    expect(broken.stderr).toContain('Gone.')
  })

  test('analyze sends one file with its question, and shows the text', async () => {
    const { stdout, code } = await run('analyze', 'one.txt', 'what', 'blew?', '--type', 'document')
    expect(code).toBe(0)
    const { body, file } = context.server.requests.at(-1)!
    expect(body).toEqual({ query: 'what blew?', media_type: 'document', response_format: 'text' })
    expect(file).toMatchObject({ filename: 'one.txt' })
    expect(stdout).toContain('Answer\n“Wind.”')
    expect(stdout).toContain('the file was not kept')
    expect(await json('analyze', 'one.txt', 'what')).toMatchObject({ answer: { main_response: '“Wind.”' } })
    expect((await run('analyze', 'missing.txt', 'what')).code).toBe(2)
    expect((await run('analyze', '.', 'what')).code).toBe(2)
  })
})
