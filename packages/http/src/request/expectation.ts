import type { IncomingMessage, ServerResponse } from 'node:http'

const invited = new WeakSet<IncomingMessage>()

/** Says `100 Continue` to a caller that waits for it, at the moment when its body is about to be read. */
export function inviteBody(request: IncomingMessage, response: ServerResponse): void {
  if (!request.headers.expect) return
  invited.add(request)
  response.writeContinue()
}

/** The caller still holds its body back and, refused now, need not send it. */
export const holdsBodyBack = (request: IncomingMessage): boolean =>
  request.headers.expect !== undefined && !invited.has(request)
