import type { Input } from './declared.ts'
import type { OperationId } from './operations.ts'
import type { Reply } from './platform/transport.ts'
import type { RetryOptions } from './retry.ts'

/** The same as `attempts` and `timeoutMs`, under the names that other clients have. */
export interface Patience {
  /** How many more times a request is tried: `attempts` - 1. */
  maxRetries?: number
  /** `timeoutMs`. */
  timeout?: number
}

export interface RequestOptions extends Patience {
  /** Ends the request, or the wait for its next try, with the signal's reason. */
  signal?: AbortSignal
  attempts?: number
  timeoutMs?: number
  onRetry?: RetryOptions['onRetry']
  /** Sent where it is given. For what costs money one is made for each call, so that all of its tries are done and paid once. */
  idempotencyKey?: string
  /** Of what costs money, in USD: what could cost more is refused, and costs nothing. */
  maxCost?: number
  /** An upload whose connection ends before the item is stored is given up and refunded; without it, it is finished. */
  cancelOnDisconnect?: boolean
  /** Called with how much of the files was sent; it starts again with each try. */
  onProgress?: (progress: UploadProgress) => void
}

export interface OpenOptions extends RequestOptions {
  /** The media type to answer with. */
  accept?: string
}

export interface UploadProgress {
  /** Bytes of files. */
  sent: number
  /** Null where a stream has no `size`. */
  total: number | null
}

/** An answer with what stands around its data. */
export interface Answer<Data> {
  status: number
  data: Data
  /** A sentence for people. */
  message: string
  metadata: { readonly [name: string]: unknown }
  requestId: string | null
  /** Whether the Idempotency-Key was answered before: then it cost nothing now. */
  replayed: boolean
}

/** `Client.open` and `Client.call` of any operation, as the parts of the client use them. */
export type Open = (id: OperationId, input?: Input, options?: OpenOptions) => Promise<Reply>
export type Call = (id: OperationId, input?: Input, options?: RequestOptions) => Promise<Answer<unknown>>

export interface FollowOptions<State> extends RequestOptions {
  /** Called with each state. */
  onChange?: (state: State) => void
}
