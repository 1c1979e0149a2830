const LOCAL_HEADER = 'PK\x03\x04'
const FIXED_LENGTH = 30

/**
 * Names of a zip's parts from the local headers that a head of the file holds (APPNOTE 4.3.7). Sizes are not trusted:
 * each next header is looked for, so stored text that looks like a header may add a name but none is missed.
 */
export function localNames(head: Uint8Array): string[] {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength)
  const names: string[] = []
  for (let at = bytes.indexOf(LOCAL_HEADER, 0, 'latin1'); at >= 0;) {
    if (at + FIXED_LENGTH > bytes.length) break
    const start = at + FIXED_LENGTH
    names.push(bytes.toString('utf8', start, start + bytes.readUInt16LE(at + 26)))
    at = bytes.indexOf(LOCAL_HEADER, at + 4, 'latin1')
  }
  return names
}
