import { setTimeout as sleep } from 'node:timers/promises'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js'
import type { Faults } from './faults.ts'
import {
  accessDenied,
  eventMessage,
  nameIn,
  notLeader,
  streamDeleted,
  streamNotFound,
  unavailable,
} from './messages.ts'
import { send, type ReadCall } from './sending.ts'
import type { ServerLog } from './server-log.ts'
import type { Stored } from './stored.ts'
import { filterIn, subscribing } from './subscribing.ts'

const { BACKWARDS } = streams.ReadReq.Options.ReadDirection

/** The call `Read`: a page of one stream or of all, or a subscription. */
export const reading =
  (log: ServerLog, faults: Faults) =>
  (call: ReadCall): void => {
    if (faults.hanging) return
    const isOfAll = call.request.getOptions()!.hasAll()
    if (faults.refuses === 'the user' || (faults.refuses && isOfAll))
      call.emit('error', accessDenied(faults.refuses !== 'the user'))
    else if (faults.leader && call.metadata.get('requires-leader').includes('true'))
      call.emit('error', notLeader(faults.leader))
    else if (call.request.getOptions()!.hasSubscription()) void subscribing(call, log, faults)
    else void page(call, log, faults)
  }

async function page(call: ReadCall, log: ServerLog, faults: Faults): Promise<void> {
  const options = call.request.getOptions()!
  if (options.hasAll()) {
    faults.readsOfAll++
    if (faults.readAllMs > 0) await sleep(faults.readAllMs)
    if (options.hasFilter() && faults.looksForEver) return
  }
  const name = options.hasStream() ? nameIn(options.getStream()!.getStreamIdentifier()) : null
  if (name !== null) faults.calls.push(`read ${name}`)
  if (name !== null && log.isTombstoned(name)) return void call.emit('error', streamDeleted(name))
  const events = options.hasStream() ? ofStream(log, options) : ofAll(log, options)
  if (events === null) call.write(streamNotFound(name!))
  else
    for (const [index, event] of events.entries()) {
      if (options.hasAll() && faults.breaksOff(index)) return void call.emit('error', unavailable())
      if (!(await send(call, eventMessage(event)))) return
    }
  call.end()
}

const countOf = (options: ReadReq.Options): number => Number(options.getCount())

function ofStream(log: ServerLog, options: ReadReq.Options): Stored[] | null {
  const asked = options.getStream()!
  const events = log.visible(nameIn(asked.getStreamIdentifier()))
  if (events === null) return null
  const revision = Number(asked.getRevision())
  if (options.getReadDirection() === BACKWARDS) {
    const upTo = asked.hasEnd() ? Infinity : revision
    return events
      .filter((event) => event.revision <= upTo)
      .reverse()
      .slice(0, countOf(options))
  }
  const from = asked.hasStart() ? 0 : revision
  return events.filter((event) => event.revision >= from).slice(0, countOf(options))
}

/** From a position forwards that position is included, backwards it is not. */
function ofAll(log: ServerLog, options: ReadReq.Options): readonly Stored[] {
  const asked = options.getAll()!
  const position = Number(asked.getPosition()?.getCommitPosition() ?? 0)
  const matches = filterIn(options)
  const count = countOf(options)
  const found: Stored[] = []
  if (options.getReadDirection() === BACKWARDS) {
    const end = asked.hasEnd() ? log.all.length : log.indexAt(position)
    for (let index = end - 1; index >= 0 && found.length < count; index--)
      if (matches(log.all[index]!.stream)) found.push(log.all[index]!)
    return found
  }
  const start = asked.hasStart() ? 0 : log.indexAt(position)
  for (let index = start; index < log.all.length && found.length < count; index++)
    if (matches(log.all[index]!.stream)) found.push(log.all[index]!)
  return found
}
