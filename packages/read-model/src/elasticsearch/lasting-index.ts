import type { Client, estypes } from '@elastic/elasticsearch'
import { keyword, SETTINGS } from './definition.ts'

/**
 * Makes an index that no rebuild replaces, once where it succeeds. By a template, so that one that is deleted meanwhile
 * comes back as it was. Its documents have an `id`, and `properties` as mapped.
 */
export function lastingIndex(
  client: Client,
  index: string,
  properties: Record<string, estypes.MappingProperty> = {},
): { make: () => Promise<void> } {
  let made: Promise<void> | null = null

  async function makeOnce(): Promise<void> {
    await client.indices.putIndexTemplate({
      name: index,
      index_patterns: [index],
      priority: 500,
      template: {
        settings: SETTINGS,
        mappings: { dynamic: false, properties: { id: keyword, ...properties } },
      },
    })
    // It is there already: 400.
    await client.indices.create({ index }, { ignore: [400] })
  }

  return {
    make() {
      made ??= makeOnce().catch((error: unknown) => {
        made = null
        throw error
      })
      return made
    },
  }
}
