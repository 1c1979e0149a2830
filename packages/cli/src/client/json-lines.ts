import type { Reply } from '@medialog/client'

/** The objects of an answer that has one on each line. @throws Unreachable */
export async function* jsonLines<Line>({ body }: Reply): AsyncGenerator<Line> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop()!
    for (const line of lines) yield JSON.parse(line) as Line
  }
}
