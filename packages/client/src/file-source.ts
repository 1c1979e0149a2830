/**
 * A file to send: a path (not in browsers), a `File`, or its content with a name. What is read from a path, a Blob or
 * bytes can be sent again when a connection breaks; a stream cannot, so it is tried once.
 */
export type FileSource =
  | string
  | URL
  | File
  | {
      name: string
      content: Blob | Uint8Array | AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>
      /** Bytes of a stream, where they are known: it is then sent with its length, and progress has an end. */
      size?: number
    }
