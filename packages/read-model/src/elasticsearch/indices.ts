import type { Client } from '@elastic/elasticsearch'
import { mappings, settings, spaceMappings, VERSION } from './mapping.ts'

/** The indices of the catalog: `<prefix>catalog-<epoch>`, one a build; the alias `<prefix>catalog` is the one in service. */
export interface Indices {
  readonly alias: string
  nameOf(epoch: number): string
  /** All that are there, in the order of their epochs. */
  list(): Promise<IndexFound[]>
  /** A new and empty one, in service at once or not. */
  create(epoch: number, inService: boolean): Promise<void>
  /** Puts it into service for every reader at once. */
  promote(epoch: number): Promise<void>
  /** Takes whichever is in service out of it. */
  retire(): Promise<void>
  remove(epoch: number): Promise<void>
  /** Removes all but that one: what was replaced, and what a crash left. */
  sweep(kept: number): Promise<void>
}

export interface IndexFound {
  epoch: number
  /** Of its mapping, see VERSION; null where somebody else made it. */
  version: number | null
  isInService: boolean
}

export function indicesOf(client: Client, prefix: string): Indices {
  const alias = aliasOf(prefix)
  const every = `${alias}-*`
  const nameOf = (epoch: number): string => `${alias}-${String(epoch).padStart(6, '0')}`
  const epochOf = (name: string): number => Number(name.slice(alias.length + 1))

  const indices: Indices = {
    alias,
    nameOf,

    async list() {
      const found = await client.indices.get({
        index: every,
        allow_no_indices: true,
        features: ['aliases', 'mappings'],
      })
      return Object.entries(found)
        .filter(([name]) => Number.isSafeInteger(epochOf(name)))
        .map(([name, { aliases, mappings }]) => ({
          epoch: epochOf(name),
          version: (mappings?._meta?.['version'] as number | undefined) ?? null,
          isInService: Object.hasOwn(aliases ?? {}, alias),
        }))
        .sort((a, b) => a.epoch - b.epoch)
    },

    async create(epoch, inService) {
      await client.indices.putIndexTemplate({
        name: alias,
        index_patterns: [every],
        priority: 500,
        version: VERSION,
        template: { settings, mappings },
      })
      await client.indices.create({ index: nameOf(epoch), ...(inService && { aliases: { [alias]: {} } }) })
    },

    async promote(epoch) {
      await client.indices.updateAliases({
        actions: [
          { remove: { index: every, alias, must_exist: false } },
          { add: { index: nameOf(epoch), alias } },
        ],
      })
    },

    async retire() {
      await client.indices.updateAliases({
        actions: [{ remove: { index: every, alias, must_exist: false } }],
      })
    },

    async remove(epoch) {
      await client.indices.delete({ index: nameOf(epoch), ignore_unavailable: true })
    },

    async sweep(kept) {
      for (const { epoch } of await indices.list()) if (epoch !== kept) await indices.remove(epoch)
    },
  }
  return indices
}

export const aliasOf = (prefix: string): string => `${prefix}catalog`

/** Says how the vectors of a space are indexed; again is no harm. */
export async function addSpace(
  client: Client,
  index: string,
  name: string,
  dimensions: number,
): Promise<void> {
  await client.indices.putMapping({ index, ...spaceMappings(name, dimensions) })
}
