import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire, flushCompileCache, getCompileCacheDir } from 'node:module'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Content } from '../extract/content.ts'
import { channel, sendBytes } from '../pool/channel.ts'
import { serve } from '../pool/serve.ts'

/** What a parser might do to harm: the file's text names it; the extraction's text is what came of it. */
const DEEDS: Record<string, (argument: string) => unknown> = {
  echo: (argument) => argument,
  pid: () => process.pid,
  slowly: (argument) => setTimeout(500, argument),
  compiled: () => {
    flushCompileCache()
    return getCompileCacheDir()
  },
  environment: () => JSON.stringify(process.env),
  loop: () => {
    for (;;);
  },
  wait: () => new Promise(() => {}),
  recognize: () => {
    channel.send({ kind: 'recognizing' })
    setImmediate(() => {
      for (;;);
    })
    return new Promise(() => {})
  },
  heap: () => {
    const kept: number[][] = []
    for (;;) kept.push(Array.from({ length: 10_000 }, (_, index) => index))
  },
  buffers: () => {
    const kept: Buffer[] = []
    for (;;) kept.push(Buffer.alloc(16_000_000, 1))
  },
  reply: (json) => sendHead(`{"parts":[],"reply":${json}}`),
  bytes: (hex) => {
    sendBytes(Buffer.from(hex, 'hex'))
    return new Promise(() => {})
  },
  flood: () => {
    for (;;) channel.send({ kind: 'recognizing' })
  },
  nested: (count) =>
    sendHead(`{"parts":[],"reply":${'['.repeat(Number(count))}${']'.repeat(Number(count))}}`),
  /** Answers, and sends another reply without a request. */
  twice: (text) => {
    setImmediate(() => channel.send({ kind: 'recognizing' }))
    return text
  },
  crash: () => process.abort(),
  exit: () => process.exit(3),
  throw: () => {
    throw new TypeError('a parser’s own words')
  },
  read: (path) => readFileSync(path, 'utf8'),
  write: (path) => writeFileSync(path || join(tmpdir(), 'medialog-must-not-exist'), 'x'),
  spawn: () => createRequire(import.meta.url)('node:child_process').execFileSync('/bin/true'),
  worker: () => new (createRequire(import.meta.url)('node:worker_threads').Worker)('1', { eval: true }),
  connect: () => net.connect(9, '127.0.0.1'),
  fetch: () => fetch('http://127.0.0.1:9/'),
}

/** A frame with that head, and no answer after it. */
function sendHead(head: string): Promise<never> {
  const json = Buffer.from(head)
  const lengths = Buffer.alloc(8)
  lengths.writeUInt32LE(json.length)
  sendBytes(Buffer.concat([lengths, json]))
  return new Promise(() => {})
}

const REFUSED = new Set(['read', 'write', 'spawn', 'worker', 'connect', 'fetch'])

serve(async ({ bytes, format }) => {
  const [deed = '', ...rest] = Buffer.from(bytes).toString('utf8').split(' ')
  const content = new Content()
  content.paragraph(await outcome(deed, rest.join(' ')))
  return { extraction: content.document(format, {}), passages: [] }
})

async function outcome(deed: string, argument: string): Promise<string> {
  try {
    return String(await DEEDS[deed]!(argument))
  } catch (error) {
    if (!REFUSED.has(deed)) throw error
    const { code, message } = error as NodeJS.ErrnoException
    return `refused: ${code ?? message}`
  }
}
