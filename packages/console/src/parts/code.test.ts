import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { codeOf } from './code.ts'

const URL = 'http://127.0.0.1:8080'
const SEARCH = {
  query: `it's "quoted" $HOME`,
  collections: 'all',
  config: { lexical_weight: 0.5 },
  filters: { media_type: undefined },
}

test('a shell sends what was asked for, whatever is in it', () => {
  const code = codeOf('curl', 'search', SEARCH, URL)
  const said = execFileSync('sh', ['-c', code.replace(/^curl/, "printf '%s\\n'")], {
    encoding: 'utf8',
    env: { MEDIALOG_API_KEY: 'mlk_1' },
  })
  expect(said.trim().split('\n')).toEqual([
    '-X',
    'POST',
    '-H',
    'X-Api-Key: mlk_1',
    '-H',
    'Content-Type: application/json',
    '-d',
    '{"query":"it\'s \\"quoted\\" $HOME","collections":"all","config":{"lexical_weight":0.5},"filters":{}}',
    `${URL}/v1/search`,
  ])
})

test('curl puts parameters of path and query string into the address', () => {
  expect(codeOf('curl', 'readMedia', { media_id: 'doc_1', include_chunks: true }, URL)).toBe(
    `curl \\\n  -H "X-Api-Key: $MEDIALOG_API_KEY" \\\n  '${URL}/v1/media/doc_1?include_chunks=true'`,
  )
  expect(codeOf('curl', 'readCollection', { collection_id: 'a b' }, URL)).toContain(
    `/v1/media/collections/a%20b'`,
  )
})

test('the operator’s operations take the operator’s token', () => {
  const codes = (['curl', 'typescript', 'python'] as const).map((language) =>
    codeOf(language, 'readAccount', { account_id: '1' }, URL),
  )
  expect(codes[0]).toContain('X-Operator-Token: $MEDIALOG_OPERATOR_TOKEN')
  expect(codes[1]).toContain('operatorToken: process.env.MEDIALOG_OPERATOR_TOKEN')
  expect(codes[2]).toContain('operator_token=os.environ["MEDIALOG_OPERATOR_TOKEN"]')
})

test('TypeScript and Python call the method of that name', () => {
  expect(codeOf('typescript', 'search', SEARCH, URL)).toContain(
    'medialog.search({\n  query: "it\'s \\"quoted\\" $HOME",\n  collections: "all",\n  config: {\n    lexical_weight: 0.5\n  },',
  )
  expect(
    codeOf('python', 'findSimilar', { media_id: 'doc_1', cluster: true, modality_filter: null }, URL),
  ).toContain(
    'medialog.find_similar(\n        media_id="doc_1",\n        cluster=True,\n        modality_filter=None,\n    )',
  )
  expect(codeOf('python', 'readUsageDiff', { from: '2026-01-01', to: '2026-02-01' }, URL)).toContain(
    'from_="2026-01-01"',
  )
})
