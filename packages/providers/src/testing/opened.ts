import { afterEach, beforeEach } from 'vitest'
import { openProviders, type OpenedProviders, type ProvidersOptions } from '../providers.ts'
import type { ProviderSettings, Use } from '../settings.ts'
import { startOpenAiServer, type OpenAiServer } from './openai-server.ts'

/** A server of its own for each test, and providers that know no other. */
export function useServer(): {
  readonly server: OpenAiServer
  open(use: Use, settings?: Partial<ProviderSettings>, options?: ProvidersOptions): OpenedProviders
} {
  let server: OpenAiServer
  beforeEach(async () => {
    server = await startOpenAiServer()
  })
  afterEach(() => server.close())
  return {
    get server() {
      return server
    },
    open(use, settings = {}, options = {}) {
      const reference = { provider: 'compatible', id: 'test-1' } as const
      return openProviders(
        {
          models: {
            [use]: use === 'embedding' ? { ...reference, dimensions: 8, cosineFloor: 0.2 } : reference,
          },
          access: { compatible: { url: server.url, key: 'sk-secret-of-the-test' } },
          timeoutMs: 30_000,
          retries: 0,
          callsAtOnce: 4,
          contextTokens: 4_000,
          tokensPerHour: null,
          accountTokensPerHour: null,
          ...settings,
        },
        options,
      )
    },
  }
}
