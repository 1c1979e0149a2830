import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fakeContext } from '../testing/context.ts'

const context = fakeContext()
const { run, json } = context
const asked = () => {
  const { path, query, headers } = context.server.requests.at(-1)!
  return { path, query: Object.fromEntries(query), as: headers['x-operator-token'] ? 'operator' : 'account' }
}

test('a replay shows every posting with its cause, and what is proven', async () => {
  const { code, stdout } = await run('audit', 'replay', '--from', '2026-11-01', '--as-of', '2026-11-20')
  expect(code).toBe(0)
  expect(asked()).toEqual({
    path: '/v1/audit/ledger',
    query: { from: '2026-11-01', as_of: '2026-11-20' },
    as: 'account',
  })
  expect(stdout).toMatch(/credit +\$10.00 +\$10.00 +opening +operator +opening-credit\n/)
  expect(stdout).toMatch(/charge +-\$0.08 +\$9.92 +batch +whales.txt +testtest +batch_1\n/)
  expect(stdout).toMatch(/refund +\$0.04 +\$9.96 +batch +2 files: cancelled +testtest +batch_1\n/)
  expect(stdout).toMatch(/balance +\$9.96\nDOCUMENT_PROCESSING +\$0.04\n/)
  expect(stdout).toMatch(/\n1 charge still open, \$0.04 in all:\n.*\n.*upload +\$0.04 +open-charge\n/)
  expect(stdout).toContain('✓ The read model has the same postings. (1,234)\n')
})

test('a replay fails where its proof does not hold, and names the posting', async () => {
  const { code, stdout } = await run('audit', 'replay', 'dev', '--month', '2026-10')
  expect(code).toBe(1)
  expect(asked()).toEqual({
    path: '/admin/accounts/a0000000-0000-4000-8000-000000000001/ledger',
    query: { month: '2026-10' },
    as: 'operator',
  })
  expect(stdout).toContain(
    '✗ The read model has the same postings. (1,234)\n  c at revision 1: the read model has -0.07 USD\n  and 2 more\n✗ And the same costs. (0)\n  It is away.\n',
  )
  const document = await run('audit', 'replay', '--month', '2026-10', '--json')
  expect(document.code).toBe(1)
  expect(JSON.parse(document.stdout)).toMatchObject({ closing_balance: 9.96, postings: [{}, {}, {}] })
})

test('a replay that breaks off proves nothing', async () => {
  const { code, stdout, stderr } = await run('audit', 'replay', '--month', '2026-09')
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain('ended before the report')
})

test('a statement is printed as it is, or written to a file', async () => {
  expect((await run('audit', 'statement', '--format', 'csv')).stdout).toBe('a,b\r\n"1\n",2\r\n')
  expect(asked()).toEqual({ path: '/v1/audit/statement', query: { format: 'csv' }, as: 'account' })
  const written = await run(
    'audit',
    'statement',
    'dev',
    '--month',
    '2026-11',
    '--format',
    'html',
    '-o',
    's.html',
  )
  expect([written.code, written.stdout]).toEqual([0, ''])
  expect(asked()).toMatchObject({ query: { format: 'html', month: '2026-11' }, as: 'operator' })
  expect(readFileSync(join(context.folder, 's.html'), 'utf8')).toBe('a,b\r\n"1\n",2\r\n')
  expect(await json('audit', 'statement', '--month', '2026-11')).toEqual({
    month: '2026-11',
    closing_balance: '9.96',
  })
  const nowhere = await run('audit', 'statement', '--format', 'csv', '--output', 'no/such/folder.csv')
  expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining('cannot be written')])
})

test('usage at two moments stands side by side', async () => {
  const { stdout } = await run('audit', 'diff', '--from', '2026-11-01', '--to', '2026-11-20')
  expect(asked().query).toEqual({ from: '2026-11-01', to: '2026-11-20' })
  expect(stdout).toMatch(/MEDIA_ANALYSIS +\$0.00 +\$0.04 +\$0.04\nbalance +\$10.00 +\$9.96 +-\$0.04\n/)
})

test('history under other prices is shown by account and operation', async () => {
  writeFileSync(join(context.folder, 'prices.json'), '{"DOCUMENT_PROCESSING": 0.02}')
  const { code, stdout } = await run(
    'audit',
    'reprice',
    'dev',
    '--prices',
    'prices.json',
    '--to',
    '2026-12-01',
  )
  expect(code).toBe(0)
  expect(
    context.server.requests.find(({ path, method }) => method === 'POST' && path === '/admin/operations'),
  ).toMatchObject({
    body: {
      kind: 'audit-reprice',
      prices: { DOCUMENT_PROCESSING: 0.02 },
      to: '2026-12-01',
      account_id: 'a0000000-0000-4000-8000-000000000001',
    },
  })
  expect(stdout).toMatch(/Research +DOCUMENT_PROCESSING +\$0.06 +\$0.04 +-\$0.02\n/)
  expect(stdout).toMatch(/all +total +\$0.12 +\$0.08 +-\$0.04\n1 charge did not tell/)
  expect(await json('audit', 'reprice', '--prices', 'prices.json')).toMatchObject({
    result: { difference: -0.04 },
  })
})

test.each([
  [['replay', '--month', '2026-13'], 'It must be a month like 2026-11.'],
  [['replay', '--until', 'tomorrow'], 'It must be a time like'],
  [['statement', '--format', 'pdf'], 'Allowed choices are json, csv, html'],
  [['reprice'], "option '--prices <file>' not specified"],
  [['reprice', '--prices', 'no.json'], 'no.json is not there.'],
])('audit %j is wrong usage', async (args, message) => {
  const { code, stderr } = await run('audit', ...args)
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
})
