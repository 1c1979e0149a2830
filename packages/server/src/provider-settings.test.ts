import { describe, expect, test } from 'vitest'
import { InvalidConfiguration, readConfig } from './config.ts'

const KEY = 'sk-very-secret-key'
const URL = 'http://127.0.0.1:11434/v1'
const read = (environment: NodeJS.ProcessEnv) => readConfig(environment).providers

test('without a model everything is made offline, whatever keys other programs have', () => {
  expect(read({})).toBeNull()
  expect(
    read({ OPENAI_API_KEY: 'not a key', MEDIALOG_PROVIDER_URL: URL, MEDIALOG_ANSWER_MODEL: '' }),
  ).toBeNull()
})

test('each use has its model, of whichever provider', () => {
  expect(
    read({
      MEDIALOG_ANSWER_MODEL: 'anthropic:claude-sonnet-4-5',
      MEDIALOG_ENRICHMENT_MODEL: 'compatible:llama3.2:3b',
      MEDIALOG_VISION_MODEL: 'google:gemini-2.5-flash',
      MEDIALOG_EMBEDDING_MODEL: 'compatible:nomic-embed-text',
      MEDIALOG_EMBEDDING_DIMENSIONS: '768',
      MEDIALOG_FORMER_EMBEDDING_MODEL: 'google:gemini-embedding-001',
      MEDIALOG_FORMER_EMBEDDING_DIMENSIONS: '3072',
      MEDIALOG_FORMER_EMBEDDING_FLOOR: '0.5',
      MEDIALOG_PROVIDER_URL: URL,
      ANTHROPIC_API_KEY: KEY,
      GOOGLE_GENERATIVE_AI_API_KEY: KEY,
      OPENAI_API_KEY: 'of-another-program',
      MEDIALOG_PROVIDER_TOKENS_PER_HOUR: '500000',
    }),
  ).toEqual({
    models: {
      answers: { provider: 'anthropic', id: 'claude-sonnet-4-5' },
      enrichment: { provider: 'compatible', id: 'llama3.2:3b' },
      vision: { provider: 'google', id: 'gemini-2.5-flash' },
      embedding: { provider: 'compatible', id: 'nomic-embed-text', dimensions: 768, cosineFloor: 0.2 },
      formerEmbedding: {
        provider: 'google',
        id: 'gemini-embedding-001',
        dimensions: 3072,
        cosineFloor: 0.5,
      },
    },
    access: {
      anthropic: { url: null, key: KEY },
      google: { url: null, key: KEY },
      compatible: { url: URL, key: null },
    },
    timeoutMs: 60_000,
    retries: 2,
    callsAtOnce: 4,
    contextTokens: 32_000,
    tokensPerHour: 500_000,
    accountTokensPerHour: null,
  })
})

describe('what makes no sense stops the start with one line, which never says a key', () => {
  const compatible = { MEDIALOG_ANSWER_MODEL: 'compatible:a' }
  const embedding = {
    MEDIALOG_EMBEDDING_MODEL: 'compatible:a',
    MEDIALOG_PROVIDER_URL: URL,
    MEDIALOG_EMBEDDING_DIMENSIONS: '768',
  }
  test.each([
    [{ ...embedding, MEDIALOG_EMBEDDER: '/models/e5' }, /^MEDIALOG_EMBEDDER and MEDIALOG_EMBEDDING_MODEL/],
    [{ MEDIALOG_ANSWER_MODEL: 'gpt-5' }, /^MEDIALOG_ANSWER_MODEL must read like openai:gpt-5-mini/],
    [{ MEDIALOG_ANSWER_MODEL: 'azure:gpt-5' }, /not 'azure:gpt-5' \(providers: openai, anthropic/],
    [{ MEDIALOG_ANSWER_MODEL: 'openai:' }, /^MEDIALOG_ANSWER_MODEL must read like/],
    [
      { MEDIALOG_ANSWER_MODEL: 'openai:gpt-5' },
      /^MEDIALOG_ANSWER_MODEL names openai: give its key in OPENAI_API_KEY\.$/,
    ],
    [compatible, /say where it is with MEDIALOG_PROVIDER_URL/],
    [
      { ...compatible, MEDIALOG_PROVIDER_URL: 'localhost:11434' },
      /^MEDIALOG_PROVIDER_URL must be an address/,
    ],
    [{ ...compatible, MEDIALOG_PROVIDER_URL: 'file:///etc' }, /^MEDIALOG_PROVIDER_URL must be an address/],
    [
      { ...compatible, MEDIALOG_PROVIDER_URL: `http://me:${KEY}@a/v1` },
      /^MEDIALOG_PROVIDER_URL must hold no user/,
    ],
    [
      { ...compatible, MEDIALOG_PROVIDER_URL: `http://a/v1?key=${KEY}` },
      /^MEDIALOG_PROVIDER_URL must hold no user/,
    ],
    [
      { ...compatible, MEDIALOG_PROVIDER_URL: URL, MEDIALOG_PROVIDER_KEY: `${KEY}\nx: y` },
      /^MEDIALOG_PROVIDER_KEY must be visible/,
    ],
    [
      { MEDIALOG_TRANSCRIPTION_MODEL: 'anthropic:a', ANTHROPIC_API_KEY: KEY },
      /no models for transcription here: openai, compatible have/,
    ],
    [{ MEDIALOG_EMBEDDING_MODEL: 'anthropic:a', ANTHROPIC_API_KEY: KEY }, /no models for embedding/],
    [
      { ...embedding, MEDIALOG_EMBEDDING_DIMENSIONS: '' },
      /^MEDIALOG_EMBEDDING_MODEL is set: say in MEDIALOG_EMBEDDING_DIMENSIONS/,
    ],
    [
      { ...embedding, MEDIALOG_EMBEDDING_DIMENSIONS: '5000' },
      /^MEDIALOG_EMBEDDING_DIMENSIONS must be at most 4096/,
    ],
    [{ ...embedding, MEDIALOG_EMBEDDING_FLOOR: '1.5' }, /^MEDIALOG_EMBEDDING_FLOOR must be a number from 0/],
    [{ MEDIALOG_PROVIDER_RETRIES: 'many' }, /^MEDIALOG_PROVIDER_RETRIES must be a whole number/],
    [{ MEDIALOG_PROVIDER_TIMEOUT_SECONDS: '0' }, /^MEDIALOG_PROVIDER_TIMEOUT_SECONDS must be at least 1/],
  ])('%j', (environment, message) => {
    expect(() => read(environment)).toThrow(InvalidConfiguration)
    expect(() => read(environment)).toThrow(message)
    expect(() => read(environment)).toThrow(/^[^\n]*$/)
    expect(() => read(environment)).not.toThrow(KEY)
  })
})
