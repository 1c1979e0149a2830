import type { MedialogError, RequestOptions } from '@medialog/client'
import { cliErrorOf, CliError, Interrupted } from '../client/errors.ts'

export interface SendingControls {
  /** Breaks off what is still being sent. */
  stop: AbortSignal
  /** Breaks off everything. */
  leave: AbortSignal
  /** Bytes of the files that left; negative when it starts over. */
  onSent: (bytes: number) => void
  /** Told before each wait for another try. */
  onWait: (milliseconds: number, error: MedialogError) => void
}

/** Sends files of so many bytes. @throws Interrupted, and as the client does */
export async function sending<T>(
  size: number,
  { stop, leave, onSent, onWait }: SendingControls,
  send: (options: RequestOptions) => Promise<T>,
): Promise<T> {
  let sent = 0
  const breakOff = new AbortController()
  // What the server has wholly received it will store and charge: its answer is worth waiting for.
  const onStop = (): void => {
    if (sent < size) breakOff.abort()
  }
  stop.addEventListener('abort', onStop)
  try {
    if (stop.aborted) throw new Interrupted()
    return await send({
      signal: AbortSignal.any([breakOff.signal, leave]),
      onProgress(progress) {
        onSent(progress.sent - sent)
        sent = progress.sent
      },
      onRetry(error, milliseconds) {
        onSent(-sent)
        sent = 0
        onWait(milliseconds, error)
        if (stop.aborted) onStop()
      },
    })
  } catch (error) {
    onSent(-sent)
    throw error
  } finally {
    stop.removeEventListener('abort', onStop)
  }
}

/** What went wrong with a file: whatever is no error of ours, it could not be read. */
export function asCliError(thrown: unknown): CliError {
  const error = cliErrorOf(thrown)
  if (error instanceof CliError) return error
  return new CliError('UNREADABLE_FILE', `It cannot be read: ${(error as Error).message}.`)
}
