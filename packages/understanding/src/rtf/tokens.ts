/** What RTF is made of. `code` is a character by its byte in the code page, `word` a control word or symbol. */
export type RtfToken =
  | { kind: 'open' }
  | { kind: 'close' }
  | { kind: 'text'; text: string }
  | { kind: 'code'; byte: number }
  | { kind: 'word'; word: string; value: number | null }

const CONTROL_WORD = /([a-zA-Z]{1,32})(-?\d{1,10})? ?/y
const HEX = /[0-9a-fA-F]{2}/y
const SPECIAL = /[{}\\\r\n]/g

/** Takes RTF (Latin-1, one character a byte) apart; line ends mean nothing, binary data is passed over. */
export function* rtfTokens(rtf: string): Generator<RtfToken> {
  for (let at = 0; at < rtf.length;) {
    const char = rtf[at]!
    if (char === '{' || char === '}') {
      yield { kind: char === '{' ? 'open' : 'close' }
      at++
    } else if (char === '\r' || char === '\n') at++
    else if (char !== '\\') {
      SPECIAL.lastIndex = at
      const end = SPECIAL.exec(rtf)?.index ?? rtf.length
      yield { kind: 'text', text: rtf.slice(at, end) }
      at = end
    } else {
      CONTROL_WORD.lastIndex = at + 1
      const match = CONTROL_WORD.exec(rtf)
      if (!match) {
        const token = symbol(rtf, at + 1)
        yield token
        at += token.kind === 'code' ? 4 : 2
        continue
      }
      const [whole, word, digits] = match
      const value = digits === undefined ? null : Number(digits)
      at += 1 + whole.length
      if (word === 'bin') at += Math.max(0, value ?? 0)
      else yield { kind: 'word', word: word!, value }
    }
  }
}

function symbol(rtf: string, at: number): RtfToken {
  const char = rtf[at] ?? ''
  HEX.lastIndex = at + 1
  const [hex] = (char === "'" && HEX.exec(rtf)) || []
  if (hex) return { kind: 'code', byte: parseInt(hex, 16) }
  return '{}\\'.includes(char) ? { kind: 'text', text: char } : { kind: 'word', word: char, value: null }
}
