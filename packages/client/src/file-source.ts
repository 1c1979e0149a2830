export type Content = Blob | Uint8Array | AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>

export interface NamedContent {
  name: string
  content: Content
  /** Bytes of a stream, where they are known: it is then sent with its length, and progress has an end. */
  size?: number
}

/**
 * A file to send: a path (not in browsers), a `File`, bytes or a stream, or one of these with a name: by its ending the
 * service knows formats that their bytes do not tell, such as text. What is read from a path, a Blob or bytes can be
 * sent again when a connection breaks; a stream cannot, so it is tried once.
 */
export type FileSource = string | URL | Content | NamedContent
