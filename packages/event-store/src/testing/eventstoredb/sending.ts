import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js'
import type { ServerWritableStream } from '@grpc/grpc-js'

export type ReadCall = ServerWritableStream<ReadReq, ReadResp>

/** False once the client is gone. */
export async function send(call: ReadCall, message: ReadResp): Promise<boolean> {
  if (call.cancelled || call.destroyed) return false
  if (!call.write(message)) await room(call)
  return !call.cancelled
}

function room(call: ReadCall): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      call.off('drain', done).off('cancelled', done)
      resolve()
    }
    call.once('drain', done).once('cancelled', done)
  })
}
