import { basename } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { fixture } from '../contract/served.ts'
import { useServer } from '../harness/suite.ts'

const server = useServer()

const FIXTURES = `documents/sample_cp949.rtf documents/sample.md data/sample.hml data/sample.json
  mail_ebook/sample_euckr.eml mail_ebook/sample.eml mail_ebook/sample.epub spreadsheet/sample_euckr_semicolon.csv
  spreadsheet/sample.xlsx presentation/sample.pptx demo/hangul.md demo/kimchi.txt demo/whales-asleep.md
  demo/galloping-gertie.txt`.split(/\s+/)
const TEXTS: Record<string, string> = {
  'flight.txt':
    '항공역학의 기초를 설명한다. 날개 위의 흐름이 느려지면 양력이 줄어든다. 풍동 실험에서 NACA-0012 익형을 측정했다.',
  'deploy.txt':
    '오늘 회의에서 API 서버 v2.3.1 배포를 논의했다. 오류 코드 E1234 때문에 getUserName 함수를 고쳤다. 다음 배포는 금요일이다.',
  'railway.txt':
    '東京都は新しい鉄道計画を発表した。計画は2030年に完成する予定である。住民は計画に賛成している。',
  'metro.txt': '北京市政府公布了新的地铁计划。该计划将于2030年完成。居民对该计划表示支持。',
  'tower.txt': 'カメラを持って東京タワーに登った。展望台からの眺めはすばらしかった。',
}

beforeAll(async () => {
  const samples = await Promise.all(
    FIXTURES.map(async (path) => [basename(path), await fixture(path)] as const),
  )
  for (const [name, content] of [...samples, ...Object.entries(TEXTS)])
    await server.client.upload(name, content)
}, 240_000)

async function found(query: string): Promise<{ first: string; explanation: string }> {
  const { status, body } = await server.client.request('POST', '/v1/search', { json: { query } })
  expect(status, JSON.stringify(body)).toBe(200)
  const [first] = body.data.results
  return { first: first?.metadata.file_info.filename, explanation: first?.relevance_explanation }
}

test('all are there', async () => {
  const { body } = await server.client.request('GET', '/v1/media?page_size=100')
  expect(body.data.items).toHaveLength(FIXTURES.length + Object.keys(TEXTS).length)
})

describe('the file that is meant comes first', () => {
  test.each([
    // Korean: with particles and endings other than those of the text.
    ['항공역학', 'flight.txt'],
    ['날개의 양력', 'flight.txt'],
    ['보고서의 전망은 어떤가', 'sample.hml'],
    ['회의는 언제입니까', 'sample_euckr.eml'],
    ['본문 문단', 'sample_cp949.rtf'],
    ['분기 매출 합계', 'sample_euckr_semicolon.csv'],
    ['훈민정음', 'hangul.md'],
    // Han and Kana, without spaces.
    ['鉄道計画', 'railway.txt'],
    ['地铁', 'metro.txt'],
    ['タワーの展望台', 'tower.txt'],
    // Two languages in one query, or of another than the text.
    ['배포 API server', 'deploy.txt'],
    ['세종 King Sejong 한글', 'hangul.md'],
    ['NACA-0012 익형', 'flight.txt'],
    ['how to ferment kimchi', 'kimchi.txt'],
    // Identifiers and numbers, whole.
    ['getUserName', 'deploy.txt'],
    ['E1234', 'deploy.txt'],
    ['v2.3.1', 'deploy.txt'],
    ['naca-0012', 'flight.txt'],
    ['12345678901234567890', 'sample.json'],
  ])('%s → %s', async (query, filename) => {
    expect((await found(query)).first).toBe(filename)
  })

  test('the words that matched are told as they were typed', async () => {
    const { explanation } = await found('NACA-0012 익형')
    expect(explanation).toContain('NACA-0012')
    expect(explanation).toContain('익형')
  })
})

test.each(['flight.txt', 'deploy.txt', 'railway.txt', 'metro.txt'])(
  '%s has nothing that English methods would make of it',
  async (filename) => {
    const { body } = await server.client.request('GET', '/v1/media?page_size=100')
    const item = body.data.items.find(
      (one: { file_info: { filename: string } }) => one.file_info.filename === filename,
    )
    const { semantic_markers: markers, entities, summary, keywords } = item.metadata.search
    expect(markers).toEqual({ categories: ['document'], emotions: [], topics: [] })
    expect(Object.values(entities).flat()).toEqual([])
    expect(TEXTS[filename]).toContain(summary.split(/(?<=[.。]) /)[0])
    expect(keywords.length).toBeGreaterThan(2)
  },
)
