import { randomUUID } from 'node:crypto'
import type { Client } from '@medialog/client'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { createMcpServer } from './server.ts'

export interface StdioOptions {
  /** Of the software. */
  version: string
  /** Folders that uploads may be from, beside those that the agent's program names. */
  folders: readonly string[]
  /** Ends it. */
  signal: AbortSignal
}

/**
 * Serves an agent on standard input and output, until it leaves or the signal aborts. What the key may do and what calls cost
 * is asked for once, before anything is served. @throws MedialogError
 */
export async function serveAgent(client: Client, { version, folders, signal }: StdioOptions): Promise<void> {
  const { capabilities } = (await client.readStatus()).account
  const mayRead = capabilities.includes('read')
  const prices = mayRead ? (await client.readUsage()).billing_summary.pricing : null
  const keyId = mayRead ? ((await client.listOwnKeys()).keys.find((key) => key.is_used)?.key_id ?? '') : ''
  const left = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve)
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  const caller = randomUUID()
  const onFault = (error: unknown): void => console.error(error)
  const serving = serveStdio(() =>
    createMcpServer({ client, caller, keyId, capabilities, prices, version, onFault, folders }),
  )
  await left
  await serving.close()
}
