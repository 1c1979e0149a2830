import type { Client } from '@medialog/client'
import { expect, test } from 'vitest'
import { createAgentEndpoint } from './http.ts'

const HEADERS = {
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
  'mcp-protocol-version': '2025-11-25',
}

async function answered(message: unknown) {
  const heard: string[] = []
  const endpoint = createAgentEndpoint('1', {
    refused: ({ message: reason }) => heard.push(`refused: ${reason}`),
    fault: (error) => heard.push(`fault: ${(error as Error).message}`),
  })
  const readUsage = () => Promise.resolve({ billing_summary: { pricing: {} } })
  const client = {
    readUsage,
    search: () => Promise.reject(new TypeError('words of the inside')),
  } as unknown as Client
  const request = new Request('http://127.0.0.1/mcp', { method: 'POST', headers: HEADERS })
  const response = await endpoint.answer(request, message, { keyId: 'k', client, capabilities: ['read'] })
  return { status: response.status, text: await response.text(), heard }
}

test('a malformed message counts as its sender’s mistake', async () => {
  const { status, heard } = await answered({ jsonrpc: '2.0', id: 1, method: 5 })
  expect([status, heard]).toEqual([400, [expect.stringMatching(/^refused: /)]])
})

test('an internal fault is logged, and the agent learns only that it happened', async () => {
  const params = { name: 'search', arguments: { query: 'a' } }
  const { text, heard } = await answered({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  expect(heard).toEqual(['fault: words of the inside'])
  expect(text).toContain('INTERNAL_ERROR')
  expect(text).not.toContain('words of the inside')
})
