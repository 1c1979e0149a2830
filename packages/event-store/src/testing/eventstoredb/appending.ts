import type { AppendReq, AppendResp } from '@eventstore/db-client/generated/streams_pb.js'
import { status, type sendUnaryData, type ServerReadableStream, type ServiceError } from '@grpc/grpc-js'
import type { Faults } from './faults.ts'
import {
  appended,
  conflict,
  failure,
  nameIn,
  notLeader,
  proposedIn,
  streamDeleted,
  tooLarge,
  unavailable,
} from './messages.ts'
import type { ServerLog } from './server-log.ts'
import { sizeOf, type Expected, type Proposed } from './stored.ts'

/** As the server has it through 25.0. */
const MOST_BYTES = 1_048_576

type Call = ServerReadableStream<AppendReq, AppendResp>
type Outcome = { answer: AppendResp } | { error: ServiceError } | 'silence'

/** The call `Append`: one stream's events, sent one by one. */
export const appending =
  (log: ServerLog, faults: Faults) =>
  (call: Call, answer: sendUnaryData<AppendResp>): void =>
    void append(call, answer, log, faults)

async function append(call: Call, answer: sendUnaryData<AppendResp>, log: ServerLog, faults: Faults) {
  try {
    const outcome = await carryOut(call, log, faults)
    if (outcome === 'silence') return
    if ('error' in outcome) answer(outcome.error)
    else answer(null, outcome.answer)
  } catch {
    // The client was gone before all was sent: nothing was recorded.
  }
}

async function carryOut(call: Call, log: ServerLog, faults: Faults): Promise<Outcome> {
  let options: AppendReq.Options | undefined
  const proposed: Proposed[] = []
  for await (const message of call as AsyncIterable<AppendReq>)
    if (message.hasOptions()) options = message.getOptions()
    else proposed.push(proposedIn(message.getProposedMessage()!))
  if (faults.hanging) return 'silence'
  if (faults.leader && call.metadata.get('requires-leader').includes('true'))
    return { error: notLeader(faults.leader) }
  const expected = expectedIn(options!)
  if (expected === null) {
    faults.appendsAtAnyRevision++
    return { error: failure(status.INVALID_ARGUMENT, 'This server takes appends at a revision only.') }
  }
  if (proposed.reduce((sum, event) => sum + sizeOf(event), 0) > MOST_BYTES)
    return { error: tooLarge(MOST_BYTES) }
  if (faults.appendsToFail > 0) {
    faults.appendsToFail--
    return { error: unavailable() }
  }
  const stream = nameIn(options!.getStreamIdentifier())
  faults.calls.push(`append ${stream}`)
  const decision = log.append(stream, expected, proposed)
  if (decision.kind === 'deleted') return { error: streamDeleted(stream) }
  if (decision.kind === 'conflict') return { answer: conflict(expected, decision.actual) }
  if (faults.repliesToLose > 0) {
    faults.repliesToLose--
    return { error: unavailable() }
  }
  if (faults.repliesToHoldBack > 0) {
    faults.repliesToHoldBack--
    return 'silence'
  }
  return { answer: appended(decision.revision, decision.position) }
}

/** Null for `any` and `exists`. */
function expectedIn(options: AppendReq.Options): Expected | null {
  if (options.hasNoStream()) return -1
  return options.hasRevision() ? Number(options.getRevision()) : null
}
