import type { Client } from './client.ts'

export interface OpenedAccount {
  accountId: string
  keyId: string
  apiKey: string
}

/** Opens an account as it is described to the operator's API, with a key that may do everything. */
export async function openAccount(
  operator: Client,
  described: { name: string; credit?: number; tier?: string },
): Promise<OpenedAccount> {
  const { body: account } = await operator.request('POST', '/admin/accounts', { json: described })
  const accountId: string = account.data.account_id
  const { body: key } = await operator.request('POST', `/admin/accounts/${accountId}/keys`, { json: {} })
  return { accountId, keyId: key.data.key_id, apiKey: key.data.api_key }
}
