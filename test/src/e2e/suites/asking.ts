import { readFile } from 'node:fs/promises'
import type { Client } from '../../harness/client.ts'

export const fixture = (name: string) => readFile(new URL(`../../../fixtures/${name}`, import.meta.url))
export const ask = (client: Client, json: object, headers: Record<string, string> = {}) =>
  client.request('POST', '/v1/ai/query', { json, headers })
export const analyze = (
  client: Client,
  name: string,
  bytes: Uint8Array<ArrayBuffer> | string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
) => {
  const form = new FormData()
  for (const [field, value] of Object.entries(fields)) form.set(field, value)
  form.set('file', new Blob([bytes]), name)
  return client.request('POST', '/v1/ai/analyze', { form, headers })
}
/** What is left, and what was spent on what. */
export async function spent(client: Client): Promise<{ balance: number; costs: Record<string, number> }> {
  const { account_info, billing_summary } = (await client.request('GET', '/v1/usage')).body.data
  return { balance: account_info.balance, costs: billing_summary.usage_costs }
}
