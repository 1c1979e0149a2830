import { openApiDocument } from '@medialog/contract/http'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, test } from 'vitest'

/** No id is called `collections`: `/v1/media/{media_id}/history` and `/v1/media/collections/{collection_id}` never meet. */
const RULES = { 'no-ambiguous-paths': 'off' } as const

test('the OpenAPI document is as generators of clients want it', async () => {
  const config = await createConfig({ extends: ['recommended'], rules: RULES })
  const source = JSON.stringify(openApiDocument())
  const problems = await lintFromString({ source, config, absoluteRef: 'openapi.json' })
  const told = problems.map(
    ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`,
  )
  expect(told).toEqual([])
})
