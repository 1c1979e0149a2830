/* oxlint-disable unicorn/require-post-message-target-origin -- between threads, not windows */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import type { DatabaseSync } from 'node:sqlite'
import { openRinger } from './bell.ts'
import { Cleaning } from './cleaning.ts'
import { GroupCommit } from './group-commit.ts'
import { checkpoint, openLog } from './open-log.ts'
import {
  decodeAppends,
  encodeOutcome,
  type AppendRequest,
  type Field,
  type FromWriter,
  type Outcome,
  type ToWriter,
} from './protocol.ts'
import { moveProvenMark } from './proven-mark.ts'
import { messageOf } from './sqlite-error.ts'

/**
 * The thread that writes: everything that waits is drained, committed as one group with one fsync, and answered.
 * Kept to a few imports, because its memory is on top of the service's.
 */
const port = parentPort!
const { path } = workerData as { path: string }
const say = (message: FromWriter) => port.postMessage(message)

try {
  const opened = openLog(path)
  if (opened.kind === 'damaged') say(opened)
  else serve(opened.database)
} catch (error) {
  say({ kind: 'failed', message: messageOf(error) })
}

function serve(database: DatabaseSync): void {
  const log = new GroupCommit(database)
  const ringer = openRinger(path)
  const cleaning = new Cleaning(
    () => checkpoint(database),
    (tickets, failure) => answer(tickets, failure === null ? { kind: 'truncated' } : unavailable(failure)),
  )
  // A reader in the way of a checkpoint is waited for without holding up appends.
  database.exec('PRAGMA busy_timeout = 0')
  port.on('message', (first: ToWriter) => {
    const messages = [first]
    for (let next; (next = receiveMessageOnPort(port));) messages.push(next.message as ToWriter)
    if (append(log, messages)) ringer.ring()
    truncate(log, cleaning, messages)
    noteProven(database, messages)
    if (messages.some(({ kind }) => kind === 'close')) {
      cleaning.stop()
      database.close()
      ringer.close()
      port.close()
    }
  })
  say({ kind: 'open' })
}

interface Waiting {
  tickets: number[]
  requests: AppendRequest[]
}

/** Answers whether the log grew. */
function append(log: GroupCommit, messages: readonly ToWriter[]): boolean {
  const appends = messages.filter((message) => message.kind === 'append')
  if (appends.length === 0) return false
  const waiting: Waiting = { tickets: [], requests: [] }
  for (const { fields } of appends) decodeAppends(fields, waiting)
  const before = log.position
  answer(waiting.tickets, log.append(waiting.requests))
  return log.position > before
}

function truncate(log: GroupCommit, cleaning: Cleaning, messages: readonly ToWriter[]): void {
  const requests = messages.filter((message) => message.kind === 'truncate')
  if (requests.length === 0) return
  const tickets = requests.map(({ ticket }) => ticket)
  try {
    log.erase(requests)
    cleaning.add(tickets)
  } catch (error) {
    answer(tickets, unavailable(error))
  }
}

/** Only a hint for the next start: no call waits for it, and a failure means that more is proven then. */
function noteProven(database: DatabaseSync, messages: readonly ToWriter[]): void {
  try {
    for (const message of messages) if (message.kind === 'proven') moveProvenMark(database, message.position)
  } catch {
    if (database.isTransaction) database.exec('ROLLBACK')
  }
}

function answer(tickets: readonly number[], outcomes: Outcome | readonly Outcome[]): void {
  const fields: Field[] = []
  for (const [index, ticket] of tickets.entries())
    encodeOutcome(fields, ticket, 'kind' in outcomes ? outcomes : outcomes[index]!)
  say({ kind: 'done', fields })
}

function unavailable(error: unknown): Outcome {
  return { kind: 'unavailable', message: messageOf(error) }
}
