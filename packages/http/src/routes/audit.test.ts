import { InsufficientFunds } from '@medialog/domain'
import { LedgerLine, Statement } from '@medialog/contract/http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { refusal, startEdge, success, type Edge } from '../testing/edge.ts'
import { ledgerEntries } from '../testing/fake-ledger.ts'
import { ACCOUNT, BATCH } from '../testing/fixtures.ts'

let edge: Edge
beforeAll(async () => {
  edge = await startEdge()
})
afterAll(() => edge[Symbol.asyncDispose]())
beforeEach(() => {
  edge.fake.faults.clear()
  edge.fake.replays.length = 0
})

const NDJSON = { headers: { accept: 'application/x-ndjson' } }

describe('the ledger', () => {
  it('comes in pages with causes and proof', async () => {
    const { data } = await success(await edge.fetch('/v1/audit/ledger?page=2&page_size=1'), 'readLedger')
    expect(edge.fake.replays).toEqual([{ from: 0, until: Infinity, window: { offset: 1, limit: 1 } }])
    expect(data.postings).toEqual([
      {
        revision: 3,
        event_id: 'event-3',
        hash: '3'.repeat(64),
        at: '2026-11-20T13:05:10.123Z',
        kind: 'refund',
        id: 'refund-00000000-0000-7000-8000-000000000001',
        charge_id: BATCH,
        amount: 0.03,
        balance: 12345678.153456789,
        lines: [{ price: 'DOCUMENT_PROCESSING', amount: 0.03 }],
        cause: {
          operation: 'batch',
          request_id: `req_${BATCH}`,
          job_id: 'job_00000000-0000-7000-8000-000000000001',
          batch_id: `batch_${BATCH}`,
          filename: '-1+1 <b>"x"</b>\r\n,.txt',
          files: 1,
          reference: 'corrupted',
          actor: 'keyall00',
          correlation_id: '@sum',
        },
      },
    ])
    expect(data).toMatchObject({
      account_id: ACCOUNT,
      range: { from: null, until: null },
      opening_balance: 0,
      books: [{ into: '2026-11', balance: 0, revision: 1 }],
      open_charges: { count: 1, amount: 0.01, first: [{ charge_id: BATCH, amount: 0.04, left: 0.01 }] },
      pagination: { page: 2, page_size: 1, total_items: 2, total_pages: 2, has_next: false },
      proof: {
        holds: false,
        lines: [
          {
            name: 'postings',
            holds: false,
            fault_count: 1,
            faults: [{ revision: 3, subject: 'refund-1', reason: 'it is <not> there' }],
          },
          { name: 'costs', holds: null, trouble: 'It is away.' },
        ],
      },
    })
  })

  it('tells where the log stands to the operator alone', async () => {
    const own = await (await edge.fetch('/v1/audit/ledger')).text()
    expect(own).not.toContain('"position"')
    const { data } = await success(await edge.admin(`/admin/accounts/${ACCOUNT}/ledger`), 'readAccountLedger')
    expect(data.postings.map(({ position }) => position)).toEqual([7, 307])
    expect([data.books[0]!.position, data.proof.lines[0]!.faults[0]!.position]).toEqual([50, 307])
  })

  it('comes as lines where these are asked for', async () => {
    const answer = await edge.fetch('/v1/audit/ledger?page_size=1', NDJSON)
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson')
    const lines = (await answer.text())
      .trimEnd()
      .split('\n')
      .map((line) => LedgerLine.parse(JSON.parse(line)))
    expect(lines.map((line) => Object.keys(line))).toEqual([['posting'], ['posting'], ['report']])
    expect(edge.fake.replays).toEqual([{ from: 0, until: Infinity }])
    expect((await edge.fetch('/v1/audit/ledger', { method: 'HEAD', ...NDJSON })).status).toBe(200)
  })

  it.each([
    ['month=2026-02', Date.UTC(2026, 1), Date.UTC(2026, 2), '2026-02-01', '2026-03-01T00:00:00.000Z'],
    ['until=2026-03-05', 0, Date.UTC(2026, 2, 5), null, '2026-03-05T00:00:00.000Z'],
    [
      'from=2026-03-05&as_of=2026-03-06',
      Date.UTC(2026, 2, 5),
      Date.UTC(2026, 2, 6) + 1,
      '2026-03-05',
      '2026-03-06T00:00:00.001Z',
    ],
    [
      'month=2026-03&as_of=2026-03-06',
      Date.UTC(2026, 2),
      Date.UTC(2026, 2, 6) + 1,
      '2026-03-01',
      '2026-03-06T00:00:00.001Z',
    ],
    ['as_of=9999-12-31T23:59:59.999Z', 0, Date.UTC(10_000, 0), null, null],
  ])('is asked for by %s', async (query, from, until, begins, ends) => {
    const { data } = await success(await edge.fetch(`/v1/audit/ledger?${query}`), 'readLedger')
    expect(edge.fake.replays).toMatchObject([{ from, until }])
    expect(data.range).toEqual({ from: begins && `${begins}T00:00:00.000Z`, until: ends })
  })

  it.each([
    ['month=2026-13', 'month', "month must be a month like 2026-11, got '2026-13'"],
    ['month=2026-11&from=2026-11-02', 'month', /^month cannot be given together with from or until/],
    ['from=2026-11-02&until=2026-11-01', 'from', /^from must not be after until/],
    ['as_of=yesterday', 'as_of', /^as_of must be an ISO 8601 date or time/],
    ['page_size=1001', 'page_size', /^page_size must be at most 1000/],
    ['account_id=x', 'account_id', /^account_id is not a known parameter/],
  ])('refuses %s', async (query, parameter, message) => {
    expect(await refusal(await edge.fetch(`/v1/audit/ledger?${query}`))).toMatchObject({
      status: 400,
      code: 'VALIDATION_ERROR',
      message: typeof message === 'string' ? message : expect.stringMatching(message),
      details: { parameter },
    })
  })

  it('needs a key, or the operator’s token; for an unknown account it is not found', async () => {
    expect((await edge.fetch('/v1/audit/ledger', { key: null })).status).toBe(401)
    expect((await edge.fetch(`/admin/accounts/${ACCOUNT}/ledger`)).status).toBe(401)
    for (const init of [{}, NDJSON])
      expect(await refusal(await edge.admin('/admin/accounts/nobody/ledger', init))).toMatchObject({
        status: 404,
        code: 'ACCOUNT_NOT_FOUND',
      })
  })

  it.each(['GET', 'HEAD'])('is replayed no further when the client stops reading: %s', async (method) => {
    const ended = Promise.withResolvers<void>()
    const ledger = edge.application.audit.ledger.bind(edge.application.audit)
    edge.application.audit.ledger = async function* () {
      try {
        for (;;) yield Array.from({ length: 100 }, () => ledgerEntries()).flat()
      } finally {
        ended.resolve()
      }
    }
    const reader = new AbortController()
    await edge.fetch('/v1/audit/ledger', { method, ...NDJSON, signal: reader.signal })
    reader.abort()
    await expect(ended.promise).resolves.toBeUndefined()
    edge.application.audit.ledger = ledger
  })

  it('breaks off where it fails in the middle, and is never taken for whole', async () => {
    const ledger = edge.application.audit.ledger.bind(edge.application.audit)
    edge.application.audit.ledger = async function* () {
      for await (const page of ledger(ACCOUNT, { from: 0, until: 1 })) yield page
      throw new InsufficientFunds(1n, 0n)
    }
    const answer = await edge.fetch('/v1/audit/ledger', NDJSON)
    await expect(answer.text()).rejects.toThrow('terminated')
    edge.application.audit.ledger = ledger
  })
})

describe('the statement', () => {
  const of = (query: string) => edge.fetch(`/v1/audit/statement?${query}`)

  it('is exact in JSON, its amounts in decimals', async () => {
    const { data } = await success(await of('month=2026-10'), 'readStatement')
    expect(data).toMatchObject({
      account_name: 'Acme <Ltd> & Co',
      month: '2026-10',
      from: '2026-10-01T00:00:00.000Z',
      until: '2026-11-01T00:00:00.000Z',
      final: true,
      opening_balance: '0',
      credited: '12345678.123456789',
      closing_balance: '12345678.153456789',
      costs: { DOCUMENT_PROCESSING: '-0.03' },
    })
    expect(data.postings.map(({ amount }) => amount)).toEqual(['12345678.123456789', '0.03'])
    expect(data.postings[0]).not.toHaveProperty('position')
  })

  it('is a table in CSV in which nothing is a formula', async () => {
    const answer = await of('format=csv')
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="medialog-2026-11.csv"')
    const text = await answer.text()
    const whole = `${ACCOUNT},2026-11,false,0,12345678.123456789,0,0.03,12345678.153456789,ledger-${ACCOUNT}@3 ${'ef'.repeat(32)} under 12 events of medialog/a`
    expect(text).toBe(
      [
        'revision,at,kind,amount,balance,operation,lines,files,filename,reference,request_id,job_id,batch_id,media_id,actor,correlation_id,id,charge_id,account_id,month,final,opening_balance,credited,charged,refunded,closing_balance,proof',
        `0,2026-11-20T13:05:09.123Z,credit,12345678.123456789,12345678.123456789,,,,,"'=HYPERLINK(""https://evil.example"",""invoice"")",,,,,operator,,opening,,${whole}`,
        `3,2026-11-20T13:05:10.123Z,refund,0.03,12345678.153456789,batch,DOCUMENT_PROCESSING 0.03,1,"'-1+1 <b>""x""</b>\r\n,.txt",corrupted,req_${BATCH},job_00000000-0000-7000-8000-000000000001,batch_${BATCH},,keyall00,'@sum,refund-00000000-0000-7000-8000-000000000001,${BATCH},${whole}`,
        '',
      ].join('\r\n'),
    )
  })

  it('is a page to print in HTML, without outside resources, in which nothing is markup', async () => {
    const answer = await of('format=html')
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/)
    const page = await answer.text()
    expect(page).toContain('<h1>Statement 2026-11</h1><p>Acme &lt;Ltd&gt; &amp; Co')
    expect(page).toContain('@media print')
    expect(page).toContain('<strong>not final</strong>')
    expect(page).toContain('-1+1 &lt;b&gt;&quot;x&quot;&lt;/b&gt;')
    expect(page).toContain('refund-1: it is &lt;not&gt; there')
    expect(page).toContain('<th scope="row">Closing balance</th><td class="amount">12345678.153456789</td>')
    expect(page).toContain(
      `<code>ledger-${ACCOUNT}@3 ${'ef'.repeat(32)} under 12 events of medialog/a</code>`,
    )
    expect(page).not.toMatch(/<b>|<script|\b(?:src|href)=/)
    expect(page.trimEnd().endsWith('</body></html>')).toBe(true)
  })

  it.each([
    ['text/csv', 'text/csv; charset=utf-8; header=present'],
    ['text/html', 'text/html; charset=utf-8'],
    ['text/csv;q=0.5, text/html', 'text/html; charset=utf-8'],
    ['*/*', 'application/json; charset=utf-8'],
    ['image/png', 'application/json; charset=utf-8'],
  ])('comes as the caller accepts it, where no format is named: %s', async (accept, type) => {
    const headers = { accept }
    const answer = await edge.fetch('/v1/audit/statement?month=2026-11', { headers })
    expect(answer.headers.get('content-type')).toBe(type)
    const named = await edge.fetch('/v1/audit/statement?month=2026-11&format=json', { headers })
    expect(named.headers.get('content-type')).toBe('application/json; charset=utf-8')
  })

  it('is the operator’s for any account', async () => {
    const path = `/admin/accounts/${ACCOUNT}/statement`
    const { data } = await success(await edge.admin(path), 'readAccountStatement')
    expect(Statement.parse(data).account_id).toBe(ACCOUNT)
    expect((await edge.admin('/admin/accounts/nobody/statement?format=csv')).status).toBe(404)
    expect((await edge.fetch(path)).status).toBe(401)
  })

  it.each(['month=2027-01', 'month=november', 'format=pdf'])('refuses %s', async (query) => {
    expect(await refusal(await of(query))).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
  })
})

describe('usage compared', () => {
  it('tells two moments and what came in between', async () => {
    const answer = await edge.fetch('/v1/usage/diff?from=2026-11-01&to=2999-01-01')
    const { data } = await success(answer, 'readUsageDiff')
    expect(data).toMatchObject({
      from: { at: '2026-11-01T00:00:00.000Z', balance: 10, usage_costs: { DOCUMENT_PROCESSING: 0 } },
      // Of the future nothing is known.
      to: { at: '2026-11-20T13:05:09.123Z', balance: 9.97, tier: 'standard', payment_status: 'active' },
      difference: { balance: -0.03, usage_costs: { DOCUMENT_PROCESSING: 0.03 } },
    })
  })

  it('refuses what is no time', async () => {
    for (const query of ['?from=x', '?from=2026-11-01&to=x'])
      expect(await refusal(await edge.fetch(`/v1/usage/diff${query}`), 'B')).toMatchObject({
        status: 400,
        code: 'validation_error',
      })
  })
})

describe('repricing', () => {
  const start = (json: object) =>
    edge.admin('/admin/operations', { method: 'POST', json: { kind: 'audit-reprice', ...json } })

  it('is long work', async () => {
    const { data } = await success(
      await start({ prices: { MEDIA_ANALYSIS: 0.02 }, from: '2026-11-01' }),
      'startOperation',
    )
    expect(data.parameters).toEqual({ prices: { MEDIA_ANALYSIS: 0.02 }, from: '2026-11-01T00:00:00.000Z' })
    const text = await success(await start({ prices: { MEDIA_ANALYSIS: '0.02' } }), 'startOperation')
    expect(text.data.parameters).toEqual({ prices: { MEDIA_ANALYSIS: 0.02 } })
  })

  it.each([
    [{}, /^prices is required/],
    [{ prices: {} }, /^prices must name a price/],
    [{ prices: { STORAGE: 1 } }, /^prices.STORAGE is no price key: these are DOCUMENT_PROCESSING, /],
    [{ prices: { MEDIA_ANALYSIS: true } }, /^prices.MEDIA_ANALYSIS must be an amount of USD from 0 to /],
    [{ prices: { MEDIA_ANALYSIS: -1 } }, /^prices.MEDIA_ANALYSIS must be at least 0/],
    [{ prices: { MEDIA_ANALYSIS: 0.0123456789 } }, /with at most nine decimals/],
    [{ prices: { MEDIA_ANALYSIS: '100000000.123456789' } }, /must be an amount of USD that a number holds/],
  ])('refuses %j', async (json, message) => {
    const refused = await refusal(await start(json))
    expect(refused).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
    expect(refused.message).toMatch(message)
  })
})
