import { UnreadableFile } from '@medialog/application/ports/understanding'
import type { ReadableFile } from '../extract/extractor.ts'
import { channel, type Received } from './channel.ts'
import { closeNetwork } from './no-network.ts'
import type { Extracted, Reply, Request, Span, Usage } from './protocol.ts'

/** There are none without a permission model; and what Node's types do not know yet. */
type Permissions = { drop(scope: 'fs.write'): void } | undefined

/** Does one file's work in the child. */
type Work = (file: ReadableFile, request: Request) => Promise<Extracted>

/**
 * The life of an extractor child: one request at a time, until the parent is gone. Standard error says why it died, if it
 * does; nothing else is written.
 */
export function serve(work: Work): void {
  closeNetwork()
  giveUpWriting()
  void answerAll(work)
}

async function answerAll(work: Work): Promise<void> {
  channel.send({ kind: 'ready' })
  for (let received = await channel.receive(); received; received = await channel.receive())
    channel.send(await answer(work, received))
  process.exit(0)
}

/** Node reads what it compiled before only for whom it lets write that, too. */
function giveUpWriting(): void {
  const permissions = process.permission as unknown as Permissions
  permissions?.drop('fs.write')
}

async function answer(work: Work, { request, bytes }: Received): Promise<Reply> {
  const { format, filename } = request
  try {
    return { kind: 'extracted', ...(await work({ bytes, filename, format }, request)), usage: usage() }
  } catch (error) {
    const { reason, message } = asUnreadable(error)
    return { kind: 'unreadable', reason, message, usage: usage() }
  }
}

/** Parsers throw anything at broken files; what they say is theirs and no sentence for an uploader. */
function asUnreadable(error: unknown): UnreadableFile {
  if (error instanceof UnreadableFile) return error
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  if (
    /allocation failed|invalid (typed )?array length|invalid string length|out of memory|ERR_STRING_TOO_LONG|ERR_BUFFER_TOO_LARGE/i.test(
      text,
    )
  )
    return new UnreadableFile('memory', 'Reading the file takes more memory than is allowed.')
  if (/call stack/i.test(text))
    return new UnreadableFile('too-large', 'The file is nested too deeply to be read.')
  return new UnreadableFile('corrupted', 'The file is damaged and could not be read.')
}

/** The text's passages as places in it: their texts need not travel twice. */
export const spans = (chunks: readonly { start: number; end: number }[]): Span[] =>
  chunks.map(({ start, end }) => [start, end])

const usage = (): Usage => {
  const { user, system } = process.cpuUsage()
  return { rss: residentBytes(), cpu: (user + system) / 1e6 }
}

/** 0 where the system does not say: the parent sees it then. */
function residentBytes(): number {
  try {
    return process.memoryUsage.rss()
  } catch {
    return 0
  }
}
