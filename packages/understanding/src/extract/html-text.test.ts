import { expect, test } from 'vitest'
import { asFormat, formatRow } from '../formats.ts'
import { Content } from './content.ts'
import { readHtml } from './html-text.ts'

function textOf(html: string): string {
  const content = new Content()
  readHtml(html, content, { headings: true })
  return content.document(asFormat(formatRow('html')), {}).text
}

test.each([
  ['<ruby>表<rt>ひょう</rt>示<rt>じ</rt></ruby>された', '表示(ひょうじ)された'],
  ['<ruby>瞬間<rp>(</rp><rt>しゅんかん</rt><rp>)</rp></ruby>。', '瞬間(しゅんかん)。'],
  ['<ruby>漢<rt>かん<rp>、<rt>じ</ruby>。', '漢(かんじ)。'],
  ['<ruby>字</ruby>だけ', '字だけ'],
  ['<rt>alone</rt>', 'alone'],
])('the reading of a ruby is said once, behind its base: %s', (html, text) => {
  expect(textOf(`<p>${html}</p>`)).toBe(text)
})
