import type { Client } from '../client/client.ts'
import { Interrupted } from '../client/errors.ts'
import { multipart, type FilePart } from '../client/multipart.ts'

export interface Form {
  path: string
  fields: { readonly [name: string]: string | undefined }
  files: readonly FilePart[]
  /** Under which the same form may be sent again: done and paid once. */
  idempotencyKey: string
}

export interface SendingControls {
  /** Breaks off what is still being sent. */
  stop: AbortSignal
  /** Breaks off everything. */
  leave: AbortSignal
  /** Bytes of the files that left; negative when it starts over. */
  onSent: (bytes: number) => void
}

/** A large video may take minutes to be understood. */
const PROCESSING_TIMEOUT_MS = 600_000

/** Sends files once. @throws as Client.call; Error when a file cannot be read */
export async function sendForm<Data>(
  client: Client,
  { path, fields, files, idempotencyKey }: Form,
  { stop, leave, onSent }: SendingControls,
): Promise<Data> {
  const size = files.reduce((total, file) => total + file.size, 0)
  let sent = 0
  const { headers, body } = multipart(fields, files, (bytes) => {
    sent += bytes
    onSent(bytes)
  })
  const breakOff = new AbortController()
  // What the server has wholly received it will store and charge: its answer is worth waiting for.
  const onStop = () => sent < size && breakOff.abort()
  stop.addEventListener('abort', onStop)
  try {
    if (stop.aborted) throw new Interrupted()
    const answer = await client.call<Data>('POST', path, {
      headers: { ...headers, 'idempotency-key': idempotencyKey },
      body,
      signal: AbortSignal.any([breakOff.signal, leave]),
      timeoutMs: PROCESSING_TIMEOUT_MS,
    })
    return answer.data
  } catch (error) {
    onSent(-sent)
    throw error
  } finally {
    stop.removeEventListener('abort', onStop)
    body.destroy()
  }
}
