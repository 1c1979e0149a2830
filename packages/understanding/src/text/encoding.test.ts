import { describe, expect, test } from 'vitest'
import { decode, isText } from './encoding.ts'

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
