import iconv from 'iconv-lite'
import { describe, expect, test } from 'vitest'
import { decode, isText, mendLatin1 } from './encoding.ts'

const utf16 = (text: string, bigEndian: boolean): Buffer => {
  const bytes = Buffer.from(text, 'utf16le')
  return bigEndian ? bytes.swap16() : bytes
}
const ENGLISH = 'A line of plain words.\nAnd another one, 2024.\n'
const KOREAN = '한글로 쓴 문장입니다.\n다음 줄도 있습니다. 2024년\n'

describe('decode', () => {
  test.each([
    ['UTF-8', Buffer.from(KOREAN), 'utf-8'],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${KOREAN}`), 'utf-8'],
    ['UTF-16LE with a mark', utf16(`\ufeff${KOREAN}`, false), 'utf-16le'],
    ['UTF-16BE with a mark', utf16(`\ufeff${KOREAN}`, true), 'utf-16be'],
    ['UTF-16LE without', utf16(KOREAN, false), 'utf-16le'],
    ['UTF-16BE without', utf16(KOREAN, true), 'utf-16be'],
  ])('%s', (_, bytes, encoding) => {
    expect(isText(bytes)).toBe(true)
    expect(decode(bytes)).toEqual({ text: KOREAN, encoding, unreadable: 0 })
  })

  test('UTF-8 that is said to be something that it cannot be', () => {
    for (const declared of ['gbk', 'euc-kr', 'shift_jis', 'big5'])
      expect(decode(Buffer.from(`${KOREAN}é`), declared)).toMatchObject({
        text: `${KOREAN}é`,
        encoding: 'utf-8',
      })
    const broken = Buffer.concat([iconv.encode(KOREAN, 'cp949'), Buffer.from([0xff])])
    expect(decode(broken, 'euc-kr')).toMatchObject({ encoding: 'euc-kr', unreadable: 1 })
  })

  test('UTF-16 without a mark in English', () => {
    expect(decode(utf16(ENGLISH, false))).toMatchObject({ text: ENGLISH, encoding: 'utf-16le' })
  })

  test('CP949 syllables that EUC-KR proper lacks', () => {
    // 똠방각하 and 펲시콜라 begin with syllables of the extension.
    const bytes = Buffer.from('8c63b9e6b0a2c7cf20bccec6dbbdc3c4dda6f3', 'hex').subarray(0, 8)
    expect(decode(bytes)).toMatchObject({ text: '똠방각하', encoding: 'euc-kr' })
  })

  test.each([
    ['windows-1252', 'El niño comió piñas en la montaña y después volvió a casa; “qué día” más bonito.'],
    ['windows-1252', 'Über die Brücke führt eine schöne Straße nach Süden – für Fußgänger gesperrt.'],
  ])('%s', (encoding, text) => {
    const bytes = Uint8Array.from(
      Array.from(text, (letter) => ({ '“': 0x93, '”': 0x94, '–': 0x96 })[letter] ?? letter.charCodeAt(0)),
    )
    const decoded = decode(bytes)
    expect(decoded.text).toBe(text)
    expect(decoded.encoding).toBe(encoding)
  })

  test.each([
    ['shift_jis', '東京の会社は昨年、売上が増えたと発表した。新しい工場は大阪に建てられる。'],
    ['euc-jp', '東京の会社は昨年、売上が増えたと発表した。'],
    ['euc-kr', '회사는 작년에 매출이 늘었다. 똠방각하는 펲시콜라를 마셨다.'],
    [
      'euc-kr',
      '大韓民國은 民主共和國이다. 大韓民國의 主權은 國民에게 있고, 모든 權力은 國民으로부터 나온다.',
    ],
    ['gb18030', '这家公司去年的收入增长了'],
    ['big5', '這家公司去年的收入增長了百分之十二'],
    ['windows-1251', 'Компания в Москве сообщила, что выручка выросла.'],
    ['koi8-r', 'Компания в Москве сообщила, что выручка выросла.'],
  ])('%s, alone and among lines of English', (encoding, text) => {
    const line = iconv.encode(text, encoding === 'euc-kr' ? 'cp949' : encoding)
    expect(decode(line)).toEqual({ text, encoding, unreadable: 0 })
    const among = Buffer.concat([Buffer.from(ENGLISH.repeat(2000)), line, Buffer.from(`\n${ENGLISH}`)])
    expect(decode(among)).toEqual({
      text: `${ENGLISH.repeat(2000)}${text}\n${ENGLISH}`,
      encoding,
      unreadable: 0,
    })
  })

  const tags = '<item rdf:about="http://www.example.org/forum/viewtopic.php"><title>'
  test.each([
    ['windows-1251', 'Форумы и новости разработчиков'],
    ['koi8-r', 'Форумы и новости разработчиков'],
    ['windows-1253', 'Ειδήσεις και σχόλια της ημέρας'],
    ['windows-1255', 'חדשות היום ותגובות הקוראים'],
    ['windows-1250', 'Előadások a győztes tűzoltók őszi ülésén, és egy kiállítás a művelődési házban'],
    ['windows-1254', 'Doğu ülkelerinde yaşayan şairler'],
  ])('%s within markup, which looks like English', (encoding, words) => {
    const text = `${tags}${words}</title></item>\n`.repeat(3)
    expect(decode(iconv.encode(text, encoding)).text).toBe(text)
  })

  test.each(['เอกสารประกอบการเรียนรู้', 'ข่าววันนี้ at 9:00 และความคิดเห็นของผู้อ่าน'])('Thai: %s', (text) => {
    expect(decode(iconv.encode(text, 'windows-874'))).toMatchObject({ text, encoding: 'windows-874' })
  })

  test('quotation marks and dashes around English are of windows-1252', () => {
    const text = 'The “quick” — brown — fox’s “den” was €20 or £15…\n'.repeat(9)
    expect(decode(iconv.encode(text, 'windows-1252'))).toMatchObject({ text, encoding: 'windows-1252' })
  })

  test.each(['Résumé', 'für', 'the family’s'])('one word with an accent or an apostrophe: %s', (text) => {
    expect(decode(iconv.encode(text, 'windows-1252')).text).toBe(text)
  })

  test('ISO-2022-JP by its escapes, ISO-2022-KR where it is declared', () => {
    const japanese = Buffer.from('GET \x1b$BEl5~\x1b(B at noon', 'latin1')
    expect(decode(japanese)).toEqual({ text: 'GET 東京 at noon', encoding: 'iso-2022-jp', unreadable: 0 })
    const korean = Buffer.from('\x1b$)C\n\x0eGQ1[\x0f in \x0eGQ1[', 'latin1')
    expect(decode(korean, 'ISO-2022-KR')).toEqual({ text: '한글 in 한글', encoding: 'euc-kr', unreadable: 0 })
  })

  test('ISO-2022-JP and ISO-2022-KR whose pieces were joined', () => {
    const japanese = Buffer.from('\x1b$BEl\x1b(B\x1b$B5~\x1b(J\x1b(B.', 'latin1')
    for (const declared of ['ISO-2022-JP', undefined])
      expect(decode(japanese, declared)).toEqual({ text: '東京.', encoding: 'iso-2022-jp', unreadable: 0 })
    const korean = Buffer.from('\x1b$)C\x0eGQ\x0f\x1b$)C\x0e1[\x0f', 'latin1')
    expect(decode(korean, 'iso-2022-kr').text).toBe('한글')
  })

  test('ISO-2022-JP with a character that there is not, and UTF-8 under its name', () => {
    const broken = Buffer.from('\x1b$BEl5~)!\x1b(B at noon', 'latin1')
    expect(decode(broken, 'iso-2022-jp')).toMatchObject({ text: '東京\ufffd at noon', unreadable: 1 })
    expect(decode(Buffer.from('東京'), 'iso-2022-jp')).toMatchObject({ text: '東京', encoding: 'utf-8' })
  })

  test('a few broken places leave UTF-8 UTF-8, and are counted', () => {
    const bytes = Buffer.from(KOREAN)
    bytes[4] = 0x20
    expect(decode(bytes)).toMatchObject({ encoding: 'utf-8', unreadable: 2 })
  })
})

test.each([
  ['a program', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0])],
  ['noise', Uint8Array.from({ length: 1000 }, (_, index) => (index * 7919) % 256)],
])('%s is no text', (_, bytes) => {
  expect(isText(bytes)).toBe(false)
})

describe('mendLatin1', () => {
  const misread = (text: string, encoding: string): string => iconv.encode(text, encoding).toString('latin1')

  test.each(['한글 제목', 'Beyoncé', '서울 Night'])('%s in UTF-8', (tag) => {
    expect(mendLatin1(misread(tag, 'utf-8'))).toBe(tag)
  })

  test.each(['한글 제목입니다', '가수', '서울의 밤 (Live)', '펲시'.concat('콜라')])('%s in CP949', (tag) => {
    expect(mendLatin1(misread(tag, 'cp949'))).toBe(tag)
  })

  test.each(['Motörhead', 'ÄÖÜ', 'Für Élise', 'Sigur Rós: Ágætis byrjun', '½ °C', 'ÀÈÌ Ò', '東京', 'plain'])(
    '%s stays as it is',
    (tag) => {
      expect(mendLatin1(tag)).toBe(tag)
    },
  )
})
