import type { Extraction } from '@medialog/application/ports/understanding'
import { describe, expect, test } from 'vitest'
import { asFormat, formatRow } from '../formats.ts'
import { docxOf } from '../testing/docx.ts'
import { openDocument } from '../testing/opendocument.ts'
import { plainPptx } from '../testing/pptx.ts'
import { Formula } from './formula.ts'
import { readXml } from './xml-reader.ts'

function linear(xml: string): string {
  const formula = new Formula()
  readXml(`<math>${xml}</math>`, {
    open: (name, attributes) => formula.open(name, attributes),
    close: (name) => formula.close(name),
    text: (piece) => formula.text(piece),
  })
  expect(formula.isClosed).toBe(true)
  return String(formula)
}

const mi = (...names: string[]): string => names.map((name) => `<mi>\n ${name} </mi>`).join('')
const row = (...parts: string[]): string => `<mrow>${parts.join('')}</mrow>`
const sum = row(mi('a'), '<mo>+</mo>', mi('b'))

test.each([
  [`<msup>${mi('x')}<mn>10</mn></msup>`, 'x^10'],
  [`<msup>${sum}<mn>2</mn></msup>`, '(a+b)^2'],
  [`<msup>${row('<mo>(</mo>', sum, '<mo>)</mo>')}<mn>2</mn></msup>`, '(a+b)^2'],
  [
    `<mfrac>${row('<mo>(</mo>', mi('a'), '<mo>)</mo><mo>(</mo>', mi('b'), '<mo>)</mo>')}${mi('c')}</mfrac>`,
    '((a)(b))/c',
  ],
  [`<mfrac>${sum}<msqrt>${mi('c')}</msqrt></mfrac>`, '(a+b)/(√c)'],
  [`<mfrac linethickness="0">${mi('n', 'k')}</mfrac>`, 'n¦k'],
  [`<mroot>${mi('x')}<mn>3</mn></mroot>`, '3√x'],
  [
    `<munderover><mo>∑</mo>${row(mi('k'), '<mo>=</mo><mn>0</mn>')}${mi('n')}</munderover>${mi('k')}`,
    '∑_(k=0)^n k',
  ],
  [`<msubsup>${mi('x')}<mn>1</mn><mn>2</mn></msubsup>`, 'x_1^2'],
  [`${mi('x')}<mtext>if</mtext>${mi('y')}`, 'x if y'],
  [`${mi('cos')}<mo>&#x2061;</mo>${mi('α')}<mo>&#x2062;</mo>${mi('β')}`, 'cos αβ'],
  [`<mfenced open="[" separators=";">${mi('a', 'b')}</mfenced>`, '[a;b)'],
  [
    `<mtable><mtr><mtd>${mi('a')}</mtd><mtd>${mi('b')}</mtd></mtr><mtr><mtd>${mi('c')}</mtd></mtr></mtable>`,
    'a b; c',
  ],
  [
    `<semantics>${mi('x')}<annotation>twice</annotation><annotation-xml>${mi('x')}</annotation-xml></semantics>`,
    'x',
  ],
])('MathML %s', (xml, expected) => {
  expect(linear(xml)).toBe(expected)
})

const run = (text: string): string => `<m:r><m:rPr><m:sty m:val="p"/></m:rPr><m:t>${text}</m:t></m:r>`
const e = (text: string): string => `<m:e>${run(text)}</m:e>`

test.each([
  [`<m:f><m:fPr/><m:num>${run('a+b')}</m:num><m:den>${run('c')}</m:den></m:f>`, '(a+b)/c'],
  [
    `<m:f><m:fPr><m:type m:val="noBar"/></m:fPr><m:num>${run('n')}</m:num><m:den>${run('k')}</m:den></m:f>`,
    'n¦k',
  ],
  [`<m:sSup>${e('e')}<m:sup>${run('-x')}</m:sup></m:sSup>`, 'e^(-x)'],
  [`<m:rad><m:radPr><m:degHide m:val="on"/></m:radPr><m:deg/>${e('x')}</m:rad>`, '√x'],
  [`<m:rad><m:deg>${run('3')}</m:deg>${e('xy')}</m:rad>`, '3√(xy)'],
  [
    `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${run('k=0')}</m:sub><m:sup>${run('n')}</m:sup>${e('k')}</m:nary>`,
    '∑_(k=0)^n k',
  ],
  [`<m:nary><m:sub/><m:sup/>${e('f')}</m:nary>`, '∫ f'],
  [`<m:d>${e('a')}${e('b')}</m:d>`, '(a|b)'],
  [`<m:d><m:dPr><m:begChr m:val="{"/><m:endChr m:val=""/></m:dPr>${e('a')}</m:d>`, '{a'],
  [`<m:func><m:fName>${run('sin')}</m:fName>${e('x')}</m:func>`, 'sin x'],
  [`<m:m><m:mr>${e('1')}${e('0')}</m:mr><m:mr>${e('0')}${e('1')}</m:mr></m:m>`, '1 0; 0 1'],
  [`${run('x if ')}${run('y')}`, 'x if y'],
])('Office Math %s', (xml, expected) => {
  expect(linear(xml)).toBe(expected)
})

describe('within a document', () => {
  async function read(name: string, bytes: Buffer): Promise<Extraction> {
    const row = formatRow(name)
    const { extract } = await row.load()
    return extract({ bytes: new Uint8Array(bytes), filename: `a.${name}`, format: asFormat(row) })
  }
  const page = async (html: string): Promise<string> => (await read('html', Buffer.from(html))).text
  const math = `<math><semantics><msup>${mi('x')}<mn>2</mn></msup><annotation>x^2</annotation></semantics></math>`
  const office = `<m:oMath><m:sSup>${e('x')}<m:sup>${run('2')}</m:sup></m:sSup></m:oMath>`

  test('HTML: on its line, in a cell, and where it does not end', async () => {
    expect(await page(`<p>The square ${math} of x.</p>`)).toBe('The square x^2 of x.')
    expect(await page(`<table><tr><td>a</td><td>${math}</td></tr></table>`)).toBe('a | x^2')
    expect(await page(`<p>The square <math><mi>x</mi>`)).toBe('The square x')
  })

  test('HTML: what shows it once more is left out, as KaTeX and MediaWiki write it', async () => {
    const shown = '<span aria-hidden="true"><span>x</span><br><span>2</span></span>'
    expect(await page(`<p>The square <span>${math}</span>${shown} of <i aria-hidden="true">x</i>.</p>`)).toBe(
      'The square x^2 of x.',
    )
    expect(await page(`<p>The square ${math}<img aria-hidden="true" alt="{x^{2}}"> of x.</p>`)).toBe(
      'The square x^2 of x.',
    )
  })

  test('DOCX: within a paragraph, without what was deleted', async () => {
    const deleted = `<w:del>${run('no')}</w:del>`
    const body = `<w:p><w:r><w:t xml:space="preserve">The square </w:t></w:r>${office.replace(e('x'), `<m:e>${deleted}${run('x')}</m:e>`)}<w:r><w:t>, it is</w:t></w:r></w:p>`
    expect((await read('docx', docxOf(body))).text).toBe('The square x^2, it is')
  })

  test('PPTX: within a paragraph', async () => {
    const paragraph = `<a:p><a:r><a:t>The square </a:t></a:r><a14:m>${office}</a14:m><a:r><a:t>, it is</a:t></a:r></a:p>`
    const { text } = await read('pptx', plainPptx([`<p:sp>${paragraph}</p:sp>`]))
    expect(text).toBe('The square x^2, it is')
  })

  test('ODT: embedded ones at the end', async () => {
    const document = openDocument('text', '<text:p>The square</text:p>', { 'Object 1/content.xml': math })
    expect((await read('odt', document)).text).toBe('The square\n\nx^2')
  })
})
