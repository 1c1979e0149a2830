import { UnreadableFile } from '@medialog/application/ports/understanding'
import type { ReadableFile } from '../extract/extractor.ts'
import { closeNetwork } from './no-network.ts'
import type { Extracted, Reply, Request, Span, Usage } from './protocol.ts'

/** There are none without a permission model; and what Node's types do not know yet. */
type Permissions = { drop(scope: 'fs.write'): void } | undefined

/** Does one file's work in the child. */
type Work = (file: ReadableFile, request: Request) => Promise<Extracted>

/**
 * The life of an extractor child: one request at a time, its bytes from standard input, until the parent is gone.
 * Standard error says why it died, if it does; nothing else is written.
 */
export function serve(work: Work): void {
  closeNetwork()
  giveUpWriting()
  process.on('disconnect', () => process.exit(0))
  process.on('message', (request: Request) => {
    void answer(work, request).then((reply) => send(reply))
  })
  send({ kind: 'ready' })
}

/** Node reads what it compiled before only for whom it lets write that, too. */
function giveUpWriting(): void {
  const permissions = process.permission as unknown as Permissions
  permissions?.drop('fs.write')
}

async function answer(work: Work, request: Request): Promise<Reply> {
  const { format, filename, size } = request
  try {
    const bytes = await readInput(size)
    return { kind: 'extracted', ...(await work({ bytes, filename, format }, request)), usage: usage() }
  } catch (error) {
    const { reason, message } = asUnreadable(error)
    return { kind: 'unreadable', reason, message, usage: usage() }
  }
}

function readInput(size: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(size)
  if (size === 0) return Promise.resolve(bytes)
  return new Promise((resolve, reject) => {
    let filled = 0
    const onData = (piece: Buffer): void => {
      bytes.set(piece, filled)
      filled += piece.length
      if (filled < size) return
      process.stdin.off('data', onData).off('end', onEnd).pause()
      resolve(bytes)
    }
    const onEnd = (): void => reject(new Error('the input ended early'))
    process.stdin.on('data', onData).on('end', onEnd).resume()
  })
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
  return { rss: process.memoryUsage.rss(), cpu: (user + system) / 1e6 }
}

export const send = (reply: Reply): void => void process.send!(reply)
