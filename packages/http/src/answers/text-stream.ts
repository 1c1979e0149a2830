import { Readable } from 'node:stream'
import type { EdgeContext } from '../exchange.ts'

/** A reader who takes nothing for that long is left. */
const IDLE_MS = 60_000

/**
 * Answers with a text that is made while it is read, so that it may be longer than memory. What comes first is made
 * before the answer begins: until then the request can still be refused. What fails later breaks the connection off.
 */
export async function answerWithText(
  ctx: EdgeContext,
  contentType: string,
  parts: AsyncGenerator<string, void>,
): Promise<void> {
  const first = await parts.next()
  ctx.type = contentType
  ctx.res.setTimeout(IDLE_MS, () => ctx.res.destroy())
  ctx.body = Readable.from(continued(first, parts), { objectMode: false })
}

/** An iterator of its own: a generator that was never read is not notified of its end. */
function continued(
  first: IteratorResult<string, void>,
  parts: AsyncGenerator<string, void>,
): AsyncIterableIterator<string, void> {
  let begun = false
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    async next() {
      if (begun) return parts.next()
      begun = true
      return first
    },
    return: () => parts.return(),
  }
}
