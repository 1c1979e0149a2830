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

test.each([
  [
    '<svg><title>Tides</title><text>high <tspan>water</tspan></text><text>\n low\n water </text></svg>',
    'high water\nlow water',
  ],
  ['<svg><text><tspan x="0">one</tspan><tspan dy="1em">two</tspan></text></svg>', 'one\ntwo'],
  [
    '<svg><foreignObject><div>box</div><p>of words</p></foreignObject><style>no</style></svg>',
    'box\nof words',
  ],
  ['a <svg><title>Close</title><path/></svg>b', 'a b'],
  ['<nav><svg><text>no</text></svg></nav>', ''],
  ['<svg><text>no end', 'no end'],
])('the labels of a drawing are lines, without its title: %s', (html, text) => {
  expect(textOf(`<div>${html}`)).toBe(text)
})

test.each([
  ['<p>seen</p><p hidden>no</p>', 'seen'],
  ['<div style="color: red; display:none !important"><p>no</p><p>no</div>seen', 'seen'],
  ['<p style="display: none">no<p>seen', 'seen'],
  ['<span STYLE="visibility:hidden">no <b>no</b></span>seen', 'seen'],
  ['<nav hidden>no</nav>seen<nav>no</nav>', 'seen'],
  [
    '<svg style="display:none"><text>no</text></svg><svg><text>seen</text><g hidden><text>no</text></g></svg>',
    'seen',
  ],
  ['<input hidden>seen', 'seen'],
  ['<p hidden="until-found">found</p><p style="display: block; x-display: none">seen</p>', 'found\n\nseen'],
  ['<table><tr><td>1<td hidden>no<td>2</table>', '1 | 2'],
  // As Wikipedia shows a formula.
  [
    '<p>so <span><span style="display: none;"><math><mi>x</mi><annotation>x</annotation></math> no</span><img alt="{x}" aria-hidden="true"></span> is seen</p>',
    'so x is seen',
  ],
])('what is hidden by its own attributes is not read: %s', (html, text) => {
  expect(textOf(html)).toBe(text)
})

test('soft hyphens are no part of a word', () => {
  expect(textOf('<p>la can&shy;di\u00adda&#173;ture</p>')).toBe('la candidature')
})

test('a page that a script shows is read', () => {
  expect(textOf('<html hidden><body style="display:none"><p>seen</p></body></html>')).toBe('seen')
})
