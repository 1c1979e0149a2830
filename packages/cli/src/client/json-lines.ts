import type { IncomingMessage } from 'node:http'
import { bodyText } from './transport.ts'

/** The objects of an answer that has one on each line. @throws Unreachable, Interrupted */
export async function* jsonLines<Line>(
  response: IncomingMessage,
  url: string,
  signal?: AbortSignal,
): AsyncGenerator<Line> {
  let rest = ''
  for await (const text of bodyText(response, url, signal)) {
    const lines = (rest + text).split('\n')
    rest = lines.pop()!
    for (const line of lines) yield JSON.parse(line) as Line
  }
}
