import { readFileSync } from 'node:fs'
import { countTokens } from '@medialog/embedder/tokenizer'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bodyChunks, chunk, headChunk } from './chunk.ts'
import { factsInWords } from './enrich/facts.ts'
import { emptyEnrichment, extractionOf } from './enrich/testing/samples.ts'

const TOKENS = 200
/** With a small end joined to it, the last of some sections may hold so many. */
const LONGEST = 240

/** Places of the text that are no space and in no passage. */
function uncovered(text: string, spans: readonly { start: number; end: number }[]): number[] {
  const covered = new Uint8Array(text.length)
  for (const { start, end } of spans) covered.fill(1, start, end)
  return [...covered.keys()].filter((at) => !covered[at] && /\S/.test(text[at]!))
}

describe('passages', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.constantFrom(
      'A sentence of words. ',
      'Another one! ',
      '\n\n',
      '안녕하세요 세계. ',
      '漢字かな。',
      ' ',
      '\u0085',
    ),
    fc.constant('word '.repeat(300)),
    fc.constant('กรุงเทพมหานคร'.repeat(200)),
    fc.constant('😀'.repeat(900)),
  )

  test('are slices of the text in order, of at most 240 tokens, and cover every word', () => {
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 30 }),
        fc.array(fc.nat(4000), { maxLength: 5 }),
        (pieces, at) => {
          const text = pieces.join('')
          const sections = at
            .sort((a, b) => a - b)
            .map((start) => ({ title: '', level: 1, contentType: 'heading', start }))
          const chunks = bodyChunks({ text, sections })
          for (const [index, { start, end, text: passage }] of chunks.entries()) {
            expect(text.slice(start, end)).toBe(passage)
            expect(countTokens(passage)).toBeLessThanOrEqual(LONGEST)
            expect(end - start).toBeLessThanOrEqual(2000)
            expect(end).toBeGreaterThan(chunks[index - 1]?.end ?? 0)
            expect(passage).toBe(passage.trim())
          }
          expect(uncovered(text, chunks)).toEqual([])
        },
      ),
      { numRuns: 100 },
    )
  })

  const sectionsAt = (text: string, ...titles: string[]) =>
    titles.map((title) => ({ title, level: 1, contentType: 'heading', start: text.indexOf(title) }))
  const sentences = (count: number): string =>
    'The harvest was larger than in any year before it. '.repeat(count)

  test('a section begins a passage; headings of hardly any text share one', () => {
    const text = `One\n\n${sentences(8)}\n\nTwo\n\nThree\n\n${sentences(8)}`
    const sections = sectionsAt(text, 'One', 'Two', 'Three')
    expect(bodyChunks({ text, sections }).map(({ start }) => start)).toEqual([0, text.indexOf('Two')])
  })

  const commas = (words: number): string => `${'fields, '.repeat(words)}end.`

  test.each([
    ['a sentence that fills a passage', commas(95)],
    ['a sentence longer than a passage', commas(400)],
    ['a word longer than a passage', 'x'.repeat(5_000)],
    ['many sentences', sentences(40)],
  ])('headings, nested ones too, stand before %s and never alone', (_, body) => {
    const text = `${sentences(17)}\n\nPart One\n\nChapter Two\n\nSection Three\n\n${body}\n\nThe Last`
    const sections = sectionsAt(text, 'Part One', 'Chapter Two', 'Section Three', 'The Last')
    const texts = bodyChunks({ text, sections }).map((chunk) => chunk.text)
    const titles = /Part One|Chapter Two|Section Three|The Last/g
    for (const passage of texts) expect(passage.replace(titles, '').trim().length).toBeGreaterThan(30)
    const headed = texts.find((passage) => passage.includes('Section Three'))
    expect(headed).toMatch(/^Part One\s+Chapter Two\s+Section Three\s+\S{3}/)
    expect(texts.at(-1)).toMatch(/\S{3}\s+The Last$/)
  })

  test('a long section falls into passages of about one length, and its end joins what is before it', () => {
    const lengths = bodyChunks({ text: sentences(23), sections: [] }).map(({ text }) => countTokens(text))
    expect(lengths).toHaveLength(2)
    expect(Math.min(...lengths)).toBeGreaterThan(100)
    const text = `${sentences(16)}\n\nThanks\n\nTo all who helped.`
    expect(bodyChunks({ text, sections: sectionsAt(text, 'Thanks') })).toHaveLength(1)
  })

  test('neighbours overlap by whole sentences', () => {
    const numbered = Array.from({ length: 60 }, (_, i) => `Sentence number ${i} says something new.`)
    const chunks = bodyChunks({ text: numbered.join(' '), sections: [] })
    expect(chunks.length).toBeGreaterThan(2)
    for (const [index, next] of chunks.slice(1).entries()) {
      expect(next.start).toBeLessThan(chunks[index]!.end)
      expect(next.text).toMatch(/^Sentence number \d+ says/)
    }
  })

  test('75 000 tokens take well under a second, whatever they are', () => {
    const prose = readFileSync(new URL('../../../LICENSE', import.meta.url), 'utf8')
      .repeat(40)
      .slice(0, 340_000)
    const texts = [
      prose,
      prose.replace(/[.\n]/g, ' '),
      '안녕하세요 세계는 넓다. '.repeat(5_000),
      'x'.repeat(300_000),
    ]
    for (const text of texts) {
      bodyChunks({ text: text.slice(0, 20_000), sections: [] })
      const begun = performance.now()
      expect(bodyChunks({ text, sections: [] }).length).toBeGreaterThan(100)
      expect(performance.now() - begun).toBeLessThan(5_000)
    }
  })
})

describe('the head', () => {
  test('says file name, title, summary and keywords', () => {
    const extraction = extractionOf('Some text.', { title: 'Annual Report' })
    const enrichment = { ...emptyEnrichment, summary: 'Revenue grew.', keywords: ['revenue', 'growth'] }
    expect(headChunk(extraction, enrichment, 'q3_reportFinal-v2.docx')).toEqual({
      text: 'q3 report Final v2\nAnnual Report\nRevenue grew.\nrevenue, growth',
      start: 0,
      end: 0,
    })
  })

  test('leaves out a summary that quotes the text, and takes the first sentence for a missing title', () => {
    const text = 'Sea Winds\n\nThe wind turns\nat noon. Then it rains.'
    const quoting = { ...emptyEnrichment, summary: 'The wind turns at noon.', keywords: ['wind'] }
    expect(headChunk(extractionOf(text), quoting, 'a.txt').text).toBe('a\nSea Winds\nwind')
    const telling = { ...quoting, summary: 'About (un)steady weather [at sea].' }
    expect(headChunk(extractionOf(text), telling, 'a.txt').text).toContain(telling.summary)
  })

  test('stays within 200 tokens and names a file without words', () => {
    const long = 'Überlänge of words '.repeat(500)
    const head = headChunk(
      extractionOf('', { title: long }),
      { ...emptyEnrichment, summary: long, keywords: Array(500).fill('keyword') },
      `${'name '.repeat(100)}.pdf`,
    )
    expect(countTokens(head.text)).toBeLessThanOrEqual(TOKENS)
    expect(chunk(extractionOf(''), emptyEnrichment, '사진.pdf').map(({ text }) => text)).toEqual(['사진'])
  })

  test('of a medium holds its facts in words', () => {
    const extraction = extractionOf('', {
      format: 'mp3',
      mediaType: 'audio',
      facts: {
        mediaType: 'audio',
        duration: 247,
        sampleRate: 44_100,
        channels: 2,
        tags: { title: 'Test Tone', artist: 'Test Artist' },
      },
    })
    expect(headChunk(extraction, emptyEnrichment, 'a.mp3').text).toContain(
      '“Test Tone” by Test Artist of 4:07 minutes',
    )
  })

  test('of a video holds what was written about it, once', () => {
    const description =
      'We cross the strait at dawn, pass the lighthouse of Hirtshals and its harbour full of trawlers, watch gannets ' +
      'dive beside the bow, and land in Kristiansand as the fog lifts from the skerries'
    const extraction = extractionOf('', {
      format: 'mp4',
      mediaType: 'video',
      title: 'Ferry to Norway',
      facts: {
        mediaType: 'video',
        duration: 95,
        width: 1920,
        height: 1080,
        frameRate: 25,
        codec: 'H.264',
        tags: { title: 'Ferry to Norway', description },
      },
    })
    const summary = `${factsInWords(extraction).slice(0, 150)}…`
    const { text } = headChunk(extraction, { ...emptyEnrichment, summary }, 'VID_0001.mp4')
    expect(text).toContain('the fog lifts from the skerries')
    expect(text.match(/Ferry to Norway/g)).toHaveLength(2) // as a title, and in the facts
    expect(countTokens(text)).toBeLessThanOrEqual(TOKENS)
  })
})
