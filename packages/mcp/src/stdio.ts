import { randomUUID } from 'node:crypto'
import type { Client } from '@medialog/client'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { createMcpServer } from './server.ts'

/**
 * Serves an agent on standard input and output, until it leaves or the signal aborts. What the key may do is asked for once,
 * before anything is served. @throws MedialogError
 */
export async function serveAgent(client: Client, version: string, signal: AbortSignal): Promise<void> {
  const { capabilities } = (await client.readStatus()).account
  const left = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve)
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  const caller = randomUUID()
  const onFault = (error: unknown): void => console.error(error)
  const serving = serveStdio(() =>
    createMcpServer({ client, caller, capabilities, version, onFault, hasFiles: true }),
  )
  await left
  await serving.close()
}
