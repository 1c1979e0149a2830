import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { medialog } from '../harness/cli.ts'
import { useServer } from '../harness/suite.ts'

const SCRIPT = new URL('../../../docs/verify-checkpoint.mjs', import.meta.url).pathname

const server = useServer()

const TEXT = (n: number) => `The heron of lake number ${n} stands in the reeds, and nobody outside may know of it.`

const upload = async (n: number, fields: Record<string, string> = {}): Promise<string> =>
  (await server.client.upload(`receipt-${n}.txt`, TEXT(n), fields)).body.data.media_id

const at = (name: string): string => join(server.folder, '..', `${server.folder.split('/').at(-1)}-${name}`)

const run = (...args: string[]) =>
  medialog(server.running, '--key', server.running.apiKey!, '--data-dir', server.folder, ...args)

test('a receipt is written, proven and audited', async () => {
  const id = await upload(1)
  const file = at('receipt.json')
  const deleted = await run('delete', id, '--yes', '--receipt', file)
  console.log(JSON.stringify(deleted).slice(0, 300))
  const audited = await run('audit', 'erasure', file, '--text', TEXT(1))
  console.log(JSON.stringify(audited, null, 1))
  expect(audited.code).toBe(0)
})
