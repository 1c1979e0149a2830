/** Shorter ones are found by chance. */
const LEAST = 12
const PIECE = 32
/** Of more, every n-th is looked for. */
const MOST = 256
/** What stands otherwise in JSON, and lines, which extraction joins. */
const BREAKS = /[\s"\\]*["\\\p{Cc}][\s"\\]*/u

/**
 * What to look for in files that may hold a text, or a part of it: pieces that no escape and no end of a page of a
 * database is likely to cut. All of it where it is too short to be cut up.
 */
export function piecesOf(content: Buffer): Buffer[] {
  const text = content.toString('utf8')
  const isText = !text.includes('\u0000') && Buffer.from(text).equals(content)
  const runs = isText ? text.split(BREAKS).map((run) => Buffer.from(run)) : [content]
  const pieces = runs.flatMap(cut)
  if (pieces.length === 0) return content.length > 0 ? [content] : []
  const step = Math.ceil(pieces.length / MOST)
  return pieces.filter((_, place) => place % step === 0)
}

function cut(run: Buffer): Buffer[] {
  const pieces: Buffer[] = []
  for (let at = 0; at < run.length; at += PIECE) {
    const piece = run.subarray(at, at + PIECE)
    if (piece.length >= LEAST) pieces.push(piece)
  }
  return pieces
}
