import type { Extraction, Format, UnreadableReason } from '@medialog/application/ports/understanding'

/** A passage of the text: `[start, end)` in UTF-16 code units. */
export type Span = readonly [start: number, end: number]

/** What a child finds out about a file: cutting the text is CPU work, so it is done there too. */
export interface Extracted {
  extraction: Extraction
  passages: Span[]
  /** See Understood. */
  thumbnails?: Uint8Array[]
  /** A copy to look at, where one was asked for and could be made. */
  picture?: Uint8Array
  /** What is to be listened to for speech, where that was asked for and there is sound; empty where no one can be speaking. */
  spoken?: Spoken
}

/** Sound in one channel, samples of 16 bits, little-endian; and the samples between which someone may be speaking, in order. */
export interface Spoken {
  sound: Uint8Array
  voice: Span[]
}

/** Parent to child on its standard input: a length (32 bits, little-endian), this in JSON, and the file's `size` bytes. */
export interface Request {
  format: Format
  filename: string
  size: number
  withPicture: boolean
  withPreview: boolean
  withSpeech: boolean
}

/**
 * Child to parent, as wire.ts has it, one a request; `ready` once, when it can take the first; `recognizing` before it,
 * where words are read from pictures.
 */
export type Reply =
  | { kind: 'ready' }
  | { kind: 'recognizing' }
  | ({ kind: 'extracted'; usage: Usage } & Extracted)
  | { kind: 'unreadable'; usage: Usage; reason: UnreadableReason; message: string }

/** A reply that ends a request. */
export type Outcome = Exclude<Reply, { kind: 'ready' | 'recognizing' }>

export interface Usage {
  /** Resident bytes after the work. */
  rss: number
  /** CPU seconds since the child started. */
  cpu: number
}
