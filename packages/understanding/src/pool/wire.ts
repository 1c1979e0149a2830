import type { Reply } from './protocol.ts'

/**
 * How replies travel from a child, over a pipe of bytes. A frame is two lengths (32 bits, little-endian), a head in JSON, and
 * parts after it: the text, then pictures, then sound. A file may control its child, so the parent reads within these limits only.
 */
const LENGTHS = 8
const MOST_HEAD = 4_194_304
/** Ten minutes of sound have 19 million. */
const MOST_PARTS = 33_554_432
/** Marks of JSON in a head: what they stand for takes memory that its bytes do not show. */
const MOST_MARKS = 300_000
/** Of one file: that the child is ready, that it recognizes words, and the answer. */
const MOST_FRAMES = 3

/** What no child of ours sends. */
export class BadFrame extends Error {
  override name = 'BadFrame'
}

interface Head {
  /** Lengths in bytes: of the text, of each picture, and of the sound. */
  parts: number[]
  reply: Reply
}

export function encodeReply(reply: Reply): Uint8Array[] {
  const parts: Uint8Array[] = []
  const head: Head = { parts: [], reply }
  if (reply.kind === 'extracted') {
    const { thumbnails, picture, spoken, extraction, ...rest } = reply
    parts.push(
      new TextEncoder().encode(extraction.text),
      ...(thumbnails ?? []),
      ...(picture ? [picture] : []),
      ...(spoken ? [spoken.sound] : []),
    )
    head.reply = {
      ...rest,
      extraction: { ...extraction, text: '' },
      ...(thumbnails && { thumbnails: thumbnails.map(() => new Uint8Array()) }),
      ...(picture && { picture: new Uint8Array() }),
      ...(spoken && { spoken: { ...spoken, sound: new Uint8Array() } }),
    }
    head.parts = parts.map(({ length }) => length)
  }
  const json = new TextEncoder().encode(JSON.stringify(head))
  const lengths = Buffer.alloc(LENGTHS)
  lengths.writeUInt32LE(json.length, 0)
  lengths.writeUInt32LE(
    head.parts.reduce((sum, length) => sum + length, 0),
    4,
  )
  return [lengths, json, ...parts]
}

/** Puts frames together from the pieces in which they come. */
export class ReplyReader {
  #pieces: Buffer[] = []
  #length = 0
  #frames = 0

  /** A new file: the count of frames starts again. */
  begin(): void {
    this.#frames = 0
  }

  /** The replies that are whole now, as they were sent: to be held against what is expected. @throws BadFrame */
  read(piece: Buffer): unknown[] {
    this.#pieces.push(piece)
    this.#length += piece.length
    const replies: unknown[] = []
    for (let frame = this.#next(); frame; frame = this.#next()) {
      if (++this.#frames > MOST_FRAMES) throw new BadFrame('more frames than a file has')
      replies.push(decode(frame))
    }
    return replies
  }

  #next(): { head: Buffer; parts: Buffer } | null {
    if (this.#length < LENGTHS) return null
    const start = this.#peek(LENGTHS)
    const [head, parts] = [start.readUInt32LE(0), start.readUInt32LE(4)]
    if (head > MOST_HEAD || parts > MOST_PARTS) throw new BadFrame('a frame longer than any answer')
    const whole = LENGTHS + head + parts
    if (this.#length < whole) return null
    const bytes = Buffer.concat(this.#pieces)
    this.#pieces = bytes.length > whole ? [bytes.subarray(whole)] : []
    this.#length = bytes.length - whole
    return { head: bytes.subarray(LENGTHS, LENGTHS + head), parts: bytes.subarray(LENGTHS + head, whole) }
  }

  /** The first bytes, of which the first piece may have too few. */
  #peek(length: number): Buffer {
    if (this.#pieces[0]!.length < length) this.#pieces = [Buffer.concat(this.#pieces)]
    return this.#pieces[0]!
  }
}

function decode({ head, parts }: { head: Buffer; parts: Buffer }): unknown {
  requireFewMarks(head)
  const { parts: lengths, reply } = parsed(head)
  if (lengths.reduce((sum, length) => sum + length, 0) !== parts.length)
    throw new BadFrame('parts of other lengths than were said')
  if (lengths.length === 0) return reply
  let at = 0
  const [text, ...others] = lengths.map((length) => parts.subarray(at, (at += length)))
  const { thumbnails, picture, spoken, extraction } = reply as { [part: string]: unknown }
  if (Array.isArray(thumbnails) ? thumbnails.length > others.length : thumbnails !== undefined)
    throw new BadFrame('thumbnails that did not come')
  // Copies: what is kept for longer must not hold the sound in memory.
  const small = others
    .splice(0, Array.isArray(thumbnails) ? thumbnails.length : 0)
    .map((jpeg) => Buffer.from(jpeg))
  const named = [picture, spoken].filter((part) => part !== undefined)
  if (others.length !== named.length) throw new BadFrame('parts that the head does not name')
  return {
    ...reply,
    extraction: { ...(extraction as object), text: text!.toString('utf8') },
    ...(thumbnails !== undefined && { thumbnails: small }),
    ...(picture !== undefined && { picture: others[0] }),
    ...(spoken !== undefined && { spoken: { ...(spoken as object), sound: others.at(-1) } }),
  }
}

const MARKS = new Set(Buffer.from('[{,'))

function requireFewMarks(json: Buffer): void {
  let marks = 0
  for (const byte of json)
    if (MARKS.has(byte) && ++marks > MOST_MARKS) throw new BadFrame('a head of more values than any answer')
}

function parsed(json: Buffer): { parts: number[]; reply: object } {
  try {
    const { parts, reply } = JSON.parse(json.toString('utf8')) as { [name: string]: unknown }
    if (isLengths(parts) && typeof reply === 'object' && reply !== null) return { parts, reply }
  } catch {
    // It is no JSON, or no object.
  }
  throw new BadFrame('no answer')
}

const isLengths = (parts: unknown): parts is number[] =>
  Array.isArray(parts) && parts.every((length) => Number.isSafeInteger(length) && length >= 0)
