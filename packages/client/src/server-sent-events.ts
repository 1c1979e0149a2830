export interface ServerSentEvent {
  /** `message` where the server gave it no name. */
  name: string
  data: string
}

/**
 * The events of a body: https://html.spec.whatwg.org/#event-stream-interpretation. `onId` gets the id of each before it is
 * yielded; also of one without data, which is not yielded.
 */
export async function* serverSentEvents(
  body: AsyncIterable<Uint8Array>,
  onId: (id: string) => void = () => undefined,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const decoder = new TextDecoder()
  let rest = ''
  let name = 'message'
  let data: string[] = []
  let id: string | null = null
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop()!
    for (const line of lines) {
      const [, field, value] = /^(\w*):? ?(.*)$/.exec(line) ?? []
      if (field === 'data') data.push(value!)
      if (field === 'event') name = value!
      if (field === 'id') id = value!
      if (line !== '') continue
      if (id !== null) onId(id)
      if (data.length > 0) yield { name, data: data.join('\n') }
      name = 'message'
      data = []
      id = null
    }
  }
}
