import type { Client } from '@medialog/client'
import { createMcpHandler, type AuthInfo } from '@modelcontextprotocol/server'
import { createMcpServer } from './server.ts'
import type { Capability, Prices } from './tool.ts'

/** The caller, whose key was checked. */
export interface Caller {
  keyId: string
  /** Of the service, with that key. */
  client: Client
  capabilities: readonly Capability[]
}

export interface Heard {
  /** Receives malformed messages: mistakes of their senders. */
  refused: (error: Error) => void
  /** Receives faults of the software. */
  fault: (error: unknown) => void
}

export interface AgentEndpoint {
  /** Answers one message, whose body was read. */
  answer(request: Request, message: unknown, caller: Caller): Promise<Response>
}

/**
 * Streamable HTTP without sessions, for the current protocol and the one before: each message is served alone, with the
 * rights of its own key, so any process may answer it.
 */
export function createAgentEndpoint(version: string, heard: Heard): AgentEndpoint {
  /** Those of the service's settings, once they were read. */
  let prices: Prices = null
  const handler = createMcpHandler(
    async ({ authInfo }) => {
      const { keyId, client, capabilities } = authInfo!.extra as unknown as Caller
      prices ??= await client.readUsage().then(
        ({ billing_summary: { pricing } }) => pricing,
        // Without them the tools say where they are.
        () => null,
      )
      return createMcpServer({
        client,
        caller: keyId,
        keyId,
        capabilities,
        prices,
        version,
        onFault: heard.fault,
        folders: null,
      })
    },
    // Nothing that is offered changes while it is: there is nothing to subscribe to.
    { onerror: heard.refused, maxSubscriptions: 0 },
  )
  return {
    answer: (request, message, caller) => {
      const { keyId, capabilities } = caller
      // What it is called with; the key itself stays with the client.
      const authInfo: AuthInfo = {
        token: keyId,
        clientId: keyId,
        scopes: [...capabilities],
        extra: { ...caller },
      }
      return handler.fetch(request, { parsedBody: message, authInfo })
    },
  }
}
