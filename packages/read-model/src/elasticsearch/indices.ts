import type { Client } from '@elastic/elasticsearch'
import type { StoreName } from '@medialog/application/ports'
import type { IndexDefinition } from './definition.ts'

/** The indices of a read model: `<prefix><name>-<epoch>`, one a build; the alias `<prefix><name>` is the one in service. */
export interface Indices {
  readonly alias: string
  nameOf(epoch: number): string
  /** All that are there, in the order of their epochs. */
  list(): Promise<IndexFound[]>
  /** A new and empty one, in service at once or not. */
  create(epoch: number, inService: boolean): Promise<void>
  /** Puts it into service for every reader at once, in place of `former` alone where that is given. */
  promote(epoch: number, former: number | null): Promise<void>
  /** Takes whichever is in service out of it. */
  retire(): Promise<void>
  remove(epoch: number): Promise<void>
  /** Removes all but that one: what was replaced, and what a crash left. */
  sweep(kept: number): Promise<void>
  /** Removes all of these read models of a former release. */
  removeFormer(names: readonly string[]): Promise<void>
}

export interface IndexFound {
  epoch: number
  /** Of its definition; null where somebody else made it. */
  version: number | null
  isInService: boolean
}

export type Shape = Pick<IndexDefinition<never>, 'name' | 'version' | 'settings' | 'properties'>

export function indicesOf(
  client: Client,
  prefix: string,
  { name, version, settings, properties }: Shape,
): Indices {
  const alias = aliasOf(prefix, name)
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
        version,
        template: { settings, mappings: { dynamic: false, _meta: { version }, properties } },
      })
      await client.indices.create({ index: nameOf(epoch), ...(inService && { aliases: { [alias]: {} } }) })
    },

    async promote(epoch, former) {
      await client.indices.updateAliases({
        actions: [
          former === null
            ? { remove: { index: every, alias, must_exist: false } }
            : { remove: { index: nameOf(former), alias, must_exist: true } },
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

    async removeFormer(names) {
      const found = await client.indices.get({
        index: names.map((name) => `${prefix}${name}-*`),
        allow_no_indices: true,
        features: ['aliases'],
      })
      for (const former of names.map((name) => `${prefix}${name}`)) {
        const isOf = (index: string): boolean =>
          index.startsWith(`${former}-`) && /^\d+$/.test(index.slice(former.length + 1))
        const index = Object.keys(found).filter(isOf)
        if (index.length === 0) continue
        // The template first: a start that is cut off here finds the indices again.
        await client.indices.deleteIndexTemplate({ name: former }, { ignore: [404] })
        await client.indices.delete({ index })
      }
    },
  }
  return indices
}

export const aliasOf = (prefix: string, name: StoreName): string => `${prefix}${name}`
