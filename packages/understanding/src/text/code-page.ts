import iconv from 'iconv-lite'

/** Windows code pages of the character sets that fonts name (`\fcharset`). */
const CHARSETS: Record<number, number> = {
  0: 1252,
  77: 10_000,
  128: 932,
  129: 949,
  130: 1361,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
}

/** The code page of a font's character set, or null where the document's own holds. */
export const codePageOf = (charset: number): number | null => CHARSETS[charset] ?? null

/** Decodes Latin-1 characters that stand for bytes of a code page; windows-1252 for unknown ones. */
export function decodeCodePage(bytes: string, codePage: number): string {
  // oxlint-disable-next-line no-control-regex
  if (/^[\x00-\x7f]*$/.test(bytes)) return bytes
  const name = codePage === 65_001 ? 'utf-8' : codePage === 10_000 ? 'macroman' : `cp${codePage}`
  return iconv.decode(Buffer.from(bytes, 'latin1'), iconv.encodingExists(name) ? name : 'cp1252')
}
