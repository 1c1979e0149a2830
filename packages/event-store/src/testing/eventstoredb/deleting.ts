import streams from '@eventstore/db-client/generated/streams_pb.js'
import type {
  DeleteReq,
  DeleteResp,
  TombstoneReq,
  TombstoneResp,
} from '@eventstore/db-client/generated/streams_pb.js'
import type { sendUnaryData, ServerUnaryCall } from '@grpc/grpc-js'
import { nameIn, streamDeleted } from './messages.ts'
import type { ServerLog } from './server-log.ts'

/** The calls `Delete` and `Tombstone`, whatever revision they expect: the service itself makes neither. */
export const deleting = (log: ServerLog) => ({
  delete(call: ServerUnaryCall<DeleteReq, DeleteResp>, answer: sendUnaryData<DeleteResp>): void {
    const stream = nameIn(call.request.getOptions()!.getStreamIdentifier())
    if (log.isTombstoned(stream)) return answer(streamDeleted(stream))
    log.softDelete(stream)
    answer(null, new streams.DeleteResp())
  },
  tombstone(call: ServerUnaryCall<TombstoneReq, TombstoneResp>, answer: sendUnaryData<TombstoneResp>): void {
    const stream = nameIn(call.request.getOptions()!.getStreamIdentifier())
    if (log.isTombstoned(stream)) return answer(streamDeleted(stream))
    log.tombstone(stream)
    answer(null, new streams.TombstoneResp())
  },
})
