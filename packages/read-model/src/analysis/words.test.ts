import { describe, expect, test } from 'vitest'
import { Analyzer } from './analyzer.ts'
import { termOf } from './term.ts'
import { charactersOf, termsOf, words } from './words.ts'

const terms = (text: string): string[] => [...words(text)].flatMap(termsOf)

describe('terms of a text', () => {
  test.each([
    ['Wings and wing', ['wing', 'wing']],
    ['boundary-layer flows', ['boundari', 'layer', 'flow']],
    ["the aircraft's wings", ['aircraft', 'wing']],
    ['NACA-0012', ['naca-0012', 'naca', '0012']],
    ['getUserName', ['getusername', 'get', 'user', 'name']],
    ['read_model 3.14', ['read_model', 'read', 'model', '3.14', '3', '14']],
    ['Café ＦＬＯＷ', ['cafe', 'flow']],
    ['항공역학의', ['항공', '공역', '역학', '학의']],
    ['SK하이닉스', ['sk', '하이', '이닉', '닉스']],
    ['東京タワー', ['東京', '京タ', 'タワ', 'ワー']],
    ['水', ['水']],
    ['Москва', ['москва']],
    ['the of and', []],
    // As people type them.
    ['Straße STRASSE Ｇroß', ['strass', 'strass', 'gross']],
    ['Łódź Ørsted œuvre Æther đak ısı Þór', ['lodz', 'orst', 'oeuvr', 'aether', 'dak', 'isi', 'thor']],
    ['λόγος ΛΌΓΟΣ', ['λογοσ', 'λογοσ']],
    ['ёлка йога', ['елка', 'иога']],
    ['كِتَابٌ كتـــاب', ['كتاب', 'كتاب']],
    ['שָׁלוֹם', ['שלום']],
    ['Ge\u00adsamt\u200bkon\u00adzept', ['gesamtkonzept']],
    ['می\u200cخواهم', ['میخواهم']],
    ['ACME™ Kowalski²', ['acm', 'tm', 'kowalski2', 'kowalski', '2']],
    ['CO₂', ['co2', 'co', '2']],
    // Marks that are letters stay.
    ['हिन्दी', ['हिन्दी']],
    ['— … !', []],
  ])('%s', (text, expected) => {
    expect(terms(text)).toEqual(expected)
  })
})

test('single characters are terms beside their pairs, without making a text longer', () => {
  expect(['東京タワー', '서울의', 'Wings', '水', 'ไทย'].map(charactersOf)).toEqual([
    ['東', '京', 'タ', 'ワ'],
    ['서', '울', '의'],
    [],
    [],
    [],
  ])
  const analyzer = new Analyzer()
  const { length, low, high } = analyzer.analyse('東京の猫')
  expect(length).toBe(3)
  const [cat] = analyzer.query('猫')[0]!.terms
  expect([...low].some((value, at) => value === cat!.low && high[at] === cat!.high)).toBe(true)
})

describe('Analyzer', () => {
  const text = 'Wings, wing: boundary-layer (NACA-0012) at 3.14 …\n항공역학의 기초\u3000getUserName; end.Then'

  test('finds the same terms as words and termsOf, with their frequencies', () => {
    const { length, low, high, frequency } = new Analyzer().analyse(text)
    const expected = new Map<string, number>()
    for (const term of [...terms(text), ...[...words(text)].flatMap(charactersOf)]) {
      const { low, high } = termOf(term)
      expected.set(`${low}/${high}`, (expected.get(`${low}/${high}`) ?? 0) + 1)
    }
    expect(length).toBe(terms(text).length)
    expect(new Map(Array.from(low, (value, at) => [`${value}/${high[at]}`, frequency[at]]))).toEqual(expected)
  })

  test('counts one text at a time', () => {
    const analyzer = new Analyzer()
    expect(analyzer.analyse(text)).toEqual(analyzer.analyse(text))
  })

  test('caps frequencies where an entry has no room for more', () => {
    expect([...new Analyzer().analyse('flow '.repeat(300)).frequency]).toEqual([255])
  })

  test('keeps the words of a query as typed, each once, without stop words', () => {
    const query = new Analyzer().query('The Heating of slabs, the Heating')
    expect(query.map(({ word }) => word)).toEqual(['Heating', 'slabs'])
    expect(query[0]!.terms).toEqual([termOf('heat')])
  })
})

test('an endless word is a term as it stands, without being stemmed', () => {
  const endless = 'z'.repeat(100_000)
  expect(termsOf(endless)).toEqual([endless])
})

test.each(['가', '가a', '東京'])('one word of 200 000 times %j is cut, too', (piece) => {
  const endless = piece.repeat(200_000)
  expect(new Analyzer().analyse(endless).length).toBe(terms(endless).length)
  expect(terms(endless).length).toBeGreaterThan(199_000)
})
