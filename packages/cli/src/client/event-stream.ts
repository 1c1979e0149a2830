import type { IncomingMessage } from 'node:http'

/** The data of each server-sent event, as text: https://html.spec.whatwg.org/#event-stream-interpretation */
export async function* eventData(response: IncomingMessage): AsyncGenerator<string> {
  let rest = ''
  let data: string[] = []
  response.setEncoding('utf8')
  for await (const chunk of response) {
    const lines = (rest + String(chunk)).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop()!
    for (const line of lines) {
      if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5))
      if (line !== '' || data.length === 0) continue
      yield data.join('\n')
      data = []
    }
  }
}
