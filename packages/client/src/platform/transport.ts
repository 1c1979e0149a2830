/** One request as it is sent. */
export interface Exchange {
  method: string
  url: URL
  headers: { readonly [name: string]: string }
  body?: string | Form
  signal?: AbortSignal
  /** So long a connection may be silent, in milliseconds. */
  timeoutMs: number
}

/** A multipart/form-data body. */
export interface Form {
  fields: readonly (readonly [name: string, value: string])[]
  /** Parts named `file`. */
  files: readonly FilePart[]
  /** Told how many bytes of the files left, in all. */
  onSent: (bytes: number) => void
}

export interface FilePart {
  name: string
  /** Bytes; null where that is not known before they are read. */
  size: number | null
  /** Whether `bytes` may be called again: a stream is read once. */
  isRepeatable: boolean
  bytes(): AsyncIterable<Uint8Array>
  /** The same at once, where the file is one. */
  blob?: Blob
}

/** The head of an answer, and its body as it comes. */
export interface Reply {
  status: number
  headers: Headers
  /** Ends when the answer does. @throws Unreachable; what the signal was aborted with */
  body: AsyncIterable<Uint8Array>
  /** Leaves the rest of the body. */
  cancel(): void
}

export interface Transport {
  /** @throws Unreachable; what the signal was aborted with; what reading a file throws */
  send(exchange: Exchange): Promise<Reply>
  /** Closes connections that are kept for the next request. */
  close(): void
}
