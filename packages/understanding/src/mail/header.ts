import { decode } from '../text/encoding.ts'

/** Header fields of a message or a part by lower-case name, as they stand, unfolded; bytes as Latin-1 characters. */
export type Headers = ReadonlyMap<string, string>

/** A value with parameters: `text/plain; charset=euc-kr`. Value and parameter names in lower case. */
export interface Parametrised {
  value: string
  parameters: ReadonlyMap<string, string>
}

/** Splits a head (RFC 5322, 2.2) into its fields; of fields that come twice the first counts. */
export function parseHeaders(head: string): Headers {
  const headers = new Map<string, string>()
  for (const field of head.replace(/\r?\n(?=[ \t])/g, '').split(/\r?\n/)) {
    const colon = field.indexOf(':')
    const name = field.slice(0, Math.max(0, colon)).trim().toLowerCase()
    if (name !== '' && !headers.has(name)) headers.set(name, field.slice(colon + 1).trim())
  }
  return headers
}

const PARAMETER = /;\s*([^\s=;]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]*))/g

/** Parameters of RFC 2045, their encodings and continuations of RFC 2231 and encoded words that do not belong there. */
export function parseParameters(field: string): Parametrised {
  const raw = new Map<string, string>()
  for (const [, name, quoted, plain] of field.matchAll(PARAMETER))
    raw.set(name!.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? plain!.trim())
  const parameters = new Map<string, string>()
  for (const name of new Set([...raw.keys()].map((key) => key.replace(/\*.*$/, ''))))
    parameters.set(name, joined(name, raw))
  return { value: field.split(';')[0]!.trim().toLowerCase(), parameters }
}

function joined(name: string, raw: ReadonlyMap<string, string>): string {
  const plain = raw.get(name)
  const pieces: string[] = []
  let encoded = false
  const single = raw.get(`${name}*`)
  if (single !== undefined) {
    pieces.push(single)
    encoded = true
  }
  for (let index = 0; single === undefined; index++) {
    const extended = raw.get(`${name}*${index}*`)
    const piece = extended ?? raw.get(`${name}*${index}`)
    if (piece === undefined) break
    encoded ||= extended !== undefined
    pieces.push(piece)
  }
  if (pieces.length === 0) return decodeWords(plain ?? '')
  const value = pieces.join('')
  if (!encoded) return decodeWords(value)
  const [, charset = '', words = value] = /^([^']*)'[^']*'([^]*)$/.exec(value) ?? []
  return decode(percentDecoded(words), charset).text
}

const percentDecoded = (words: string): Buffer =>
  Buffer.from(
    words.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  )

const ENCODED_WORD = /=\?([^?\s*]+)(?:\*[^?]*)?\?([bq])\?([^?\s]*)\?=/gi

/** Text of a field: encoded words (RFC 2047), and bytes beyond ASCII in whatever encoding they look like. */
export function decodeWords(field: string): string {
  const text = decode(Buffer.from(field, 'latin1')).text
  return text.replace(/(\?=)\s+(?==\?)/g, '$1').replace(sameCharsetRuns, (run) => {
    const words = [...run.matchAll(ENCODED_WORD)]
    // A character may be cut in two by the border of two words, so their bytes are joined first.
    const bytes = Buffer.concat(words.map(([, , how, payload]) => wordBytes(how!, payload!)))
    return decode(bytes, words[0]![1]).text
  })
}

const sameCharsetRuns =
  /=\?([^?\s*]+)(?:\*[^?]*)?\?[bq]\?[^?\s]*\?=(?:=\?\1(?:\*[^?]*)?\?[bq]\?[^?\s]*\?=)*/gi

const wordBytes = (how: string, payload: string): Buffer =>
  how.toLowerCase() === 'b' ? Buffer.from(payload, 'base64') : quotedPrintable(payload.replaceAll('_', ' '))

/** Bytes of quoted-printable text (RFC 2045, 6.7). */
export const quotedPrintable = (text: string): Buffer =>
  Buffer.from(
    text
      // With a lookahead for the end of the line each space of a long run would be tried as its first.
      .replace(/[ \t]+(\r?\n)?/g, (spaces, end?: string) => end ?? spaces)
      .replace(/=\r?\n/g, '')
      .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  )
