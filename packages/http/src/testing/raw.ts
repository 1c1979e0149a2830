import { connect, type Socket } from 'node:net'

export interface RawAnswer {
  status: number
  headers: string
  body: string
  /** All bytes received, for what is not one answer. */
  text: string
}

/** Speaks HTTP byte by byte: for requests that no client makes. */
export class RawClient {
  readonly socket: Socket
  private received = ''

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1')
    this.socket.setEncoding('latin1').on('data', (text: string) => (this.received += text))
    this.socket.on('error', () => {})
  }

  write(bytes: string | Uint8Array): this {
    this.socket.write(bytes)
    return this
  }

  /** The answer once its announced body is whole; waits at most 30 s. */
  async answer(): Promise<RawAnswer> {
    const end = performance.now() + 30_000
    while (performance.now() < end) {
      const [headers = '', body] = this.received.split('\r\n\r\n', 2)
      const length = /content-length: (\d+)/i.exec(headers)?.[1]
      if (body !== undefined && body.length >= Number(length ?? 0))
        return { status: Number(headers.split(' ')[1]), headers, body, text: this.received }
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    throw new Error(`no answer within 30 s, only ${JSON.stringify(this.received)}`)
  }

  close(): void {
    this.socket.destroy()
  }
}
