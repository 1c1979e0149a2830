import type { IncomingMessage, ServerResponse } from 'node:http'

/** How much of a body that is not needed any more is still read, and for how long. */
export interface UnreadBodyLimits {
  bytes: number
  milliseconds: number
}
const LIMITS: UnreadBodyLimits = { bytes: 64 * 1024 * 1024, milliseconds: 10_000 }
const LOOK_EVERY_MS = 100

/**
 * After an answer given in the middle of a body, lets the caller go on sending for a while (Node throws the bytes
 * away): closing at once would reset the connection, and the caller would see that instead of the answer. Then closes.
 */
export function limitUnreadBody(
  request: IncomingMessage,
  response: ServerResponse,
  limits: UnreadBodyLimits = LIMITS,
): void {
  response.once('finish', () => {
    const { socket } = request
    if (request.complete || socket.destroyed) return
    request.resume()
    const end = performance.now() + limits.milliseconds
    const most = socket.bytesRead + limits.bytes
    const look = setInterval(() => {
      const over = performance.now() > end || socket.bytesRead > most
      if (over && !request.complete) socket.destroy()
      if (over || request.complete || socket.destroyed) clearInterval(look)
    }, LOOK_EVERY_MS).unref()
  })
}
