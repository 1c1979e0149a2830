import { writeSync } from 'node:fs'
import type { Reply, Request } from './protocol.ts'
import { encodeReply } from './wire.ts'

/** The descriptor that a child answers on. Standard output is anybody's. */
export const REPLIES = 3

/** A request with the bytes of its file. */
export interface Received {
  request: Request
  bytes: Uint8Array
}

/** Connects a child to its parent: requests come on standard input, replies go over a pipe. */
export const channel = {
  send(reply: Reply): void {
    for (const part of encodeReply(reply)) sendBytes(part)
  },

  /** The next request, its file whole. Null once the parent is gone. */
  receive: async (): Promise<Received | null> => {
    const length = await input.read(4)
    const json = length && (await input.read(Buffer.from(length).readUInt32LE(0)))
    if (!json) return null
    const request = JSON.parse(new TextDecoder().decode(json)) as Request
    const bytes = await input.read(request.size)
    return bytes && { request, bytes }
  },
}

/** All of it, though the pipe may take less at a time. */
export function sendBytes(bytes: Uint8Array): void {
  for (let sent = 0; sent < bytes.length;) sent += writeSync(REPLIES, bytes, sent)
}

/** Standard input, so many bytes at a time. */
const input = {
  left: null as Buffer | null,

  async read(size: number): Promise<Uint8Array | null> {
    const bytes = new Uint8Array(size)
    let filled = 0
    while (filled < size) {
      const piece = this.left ?? (await nextPiece())
      if (piece === null) return null
      const taken = piece.subarray(0, size - filled)
      bytes.set(taken, filled)
      filled += taken.length
      this.left = taken.length < piece.length ? piece.subarray(taken.length) : null
    }
    return bytes
  },
}

let pieces: AsyncIterator<Buffer> | null = null
async function nextPiece(): Promise<Buffer | null> {
  pieces ??= process.stdin[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  const { done, value } = await pieces.next()
  return done ? null : value
}
