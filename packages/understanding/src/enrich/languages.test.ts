import type { Embedder, Enricher, Enrichment } from '@medialog/application/ports'
import { createEmbedder } from '@medialog/embedder'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { languageOf } from '../text/language.ts'
import { createOfflineEnricher } from './offline.ts'
import { extractionOf } from './testing/samples.ts'

let embedder: Embedder
let enricher: Enricher
beforeAll(async () => {
  embedder = await createEmbedder()
  enricher = createOfflineEnricher({ embedder })
})
afterAll(async () => {
  await enricher.close()
  await embedder.close()
})

const enrich = (text: string, declared?: string): Promise<Enrichment> =>
  enricher.enrich(extractionOf(text, { language: languageOf(text, declared) }), 'a.txt')

const TEXTS = {
  Korean:
    '오늘 서울에서 예산 회의가 열렸다. 김영희 부장은 예산을 논의했다. 예산은 다음 달에 확정된다. 모두 기쁘다고 했다.',
  Japanese: '東京都は新しい鉄道計画を発表した。計画は2030年に完成する予定である。住民は計画に賛成している。',
  Chinese: '北京市政府公布了新的地铁计划。该计划将于2030年完成。居民对该计划表示支持。',
  French:
    'Le conseil municipal a approuvé la construction du nouveau pont sur la Seine. Le pont coûtera douze millions d’euros et sera terminé en 2027.',
  Russian:
    'Утром в гавани было тихо, и лодки стояли неподвижно. Потом поднялся ветер, и люди побежали к берегу. Гавань опустела.',
}

test.each(Object.entries(TEXTS))(
  '%s: whole sentences and words of the text, nothing of English methods',
  async (_, text) => {
    const found = await enrich(text)
    expect(found).toMatchObject({
      topics: [],
      emotions: [],
      categories: ['document'],
      entities: { people: [], organizations: [], locations: [], objects: [], concepts: [] },
    })
    expect(found.summary.split(/(?<=[.。]) /).every((sentence) => text.includes(sentence))).toBe(true)
    expect(found.summary).toMatch(/[.。]$/)
    expect(found.keywords.length).toBeGreaterThan(2)
    for (const keyword of found.keywords) expect(text.toLowerCase()).toContain(keyword)
  },
)

test('Korean text is Korean whatever its file declares', async () => {
  expect(await enrich(TEXTS.Korean, 'en-US')).toMatchObject({ topics: [], emotions: [] })
})

test('keywords are nouns: no particles, no verbs, no grammar', async () => {
  expect((await enrich(TEXTS.Korean)).keywords).toEqual(
    expect.arrayContaining(['예산', '회의', '서울', '부장']),
  )
  expect((await enrich(TEXTS.Korean)).keywords.join(' ')).not.toMatch(/오늘|다음|했다|기쁘|열렸/)
  expect((await enrich(TEXTS.Japanese)).keywords).toEqual(expect.arrayContaining(['計画', '住民']))
  expect((await enrich(TEXTS.Japanese)).keywords.join(' ')).not.toMatch(/する|いる|ある/)
  expect((await enrich(TEXTS.French)).keywords).toContain('euros')
})

test('Korean and English in one text: words of both', async () => {
  const { keywords } = await enrich(
    '오늘 회의에서 API 서버 배포를 논의했다. 오류 코드 E1234 때문에 배포를 미뤘다. We release on Friday.',
  )
  expect(keywords).toEqual(expect.arrayContaining(['배포', '서버', 'release', 'e1234']))
})
