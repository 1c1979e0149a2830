const MOST_BYTES = 255
const LONGEST_EXTENSION = 20
/** Control characters, line separators, and the marks that turn the direction of writing. */
const CONTROL = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/**
 * A file's name as it is kept: Unicode as it came, without path parts and control characters, at most 255 bytes of
 * UTF-8. What is too long loses the end of its stem, so that the extension still tells the format. '' when nothing is left.
 */
export function cleanFilename(sent: string): string {
  const name = sent
    .slice(Math.max(sent.lastIndexOf('/'), sent.lastIndexOf('\\')) + 1)
    .toWellFormed()
    .replace(CONTROL, '')
    .trim()
  if (name === '.' || name === '..') return ''
  if (Buffer.byteLength(name) <= MOST_BYTES) return name
  const dot = name.lastIndexOf('.')
  const extension = dot > 0 && name.length - dot <= LONGEST_EXTENSION ? name.slice(dot) : ''
  const stem = extension ? name.slice(0, dot) : name
  return cut(stem, MOST_BYTES - Buffer.byteLength(extension)) + extension
}

function cut(text: string, bytes: number): string {
  let size = 0
  let end = 0
  for (const character of text) {
    size += Buffer.byteLength(character)
    if (size > bytes) break
    end += character.length
  }
  return text.slice(0, end)
}
