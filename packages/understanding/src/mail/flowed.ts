const LINE = /^(>*)(?: ?)([^]*)$/
const SIGNATURE = '-- '

/**
 * The paragraphs of a text with `format=flowed` (RFC 3676), a line each. A line that ends with a space goes on in the next
 * of the same depth of quotation; with `delSp` that space is no part of the text.
 */
export function unflowed(text: string, delSp: boolean): string {
  const lines: string[] = []
  let open: { quotes: string; text: string } | null = null
  for (const line of text.split(/\r?\n/)) {
    const [, quotes = '', words = ''] = LINE.exec(line)!
    const isFlowed: boolean = words.endsWith(' ') && words !== SIGNATURE
    const shown: string = isFlowed && delSp ? words.slice(0, -1) : words
    const joins = open !== null && open.quotes === quotes && words !== SIGNATURE
    if (joins) open!.text += shown
    else {
      if (open) lines.push(quoted(open))
      open = { quotes, text: shown }
    }
    if (isFlowed) continue
    lines.push(quoted(open!))
    open = null
  }
  if (open) lines.push(quoted(open))
  return lines.join('\n')
}

const quoted = ({ quotes, text }: { quotes: string; text: string }): string =>
  quotes === '' ? text : `${quotes} ${text}`
