import type { Client } from '@elastic/elasticsearch'
import { ReadModelBroken, type CatalogChange, type ReadModelStore } from '@medialog/application/ports'
import { Checkpoint } from './checkpoint.ts'
import { unavailableWhenAway } from './connection.ts'
import { indicesOf } from './indices.ts'
import { VERSION } from './mapping.ts'
import { CatalogWriter, type WriterOptions } from './writer.ts'

export interface CatalogStoreOptions {
  client: Client
  /** What the names of its indices begin with. */
  prefix: string
  /** Hears of every try to take removed content out of the files that failed; it goes on trying. */
  onWipeFailed?: (error: Error) => void
}

export interface CatalogStore extends ReadModelStore<CatalogChange> {
  open(): Promise<CatalogWriter>
  build(): Promise<CatalogWriter>
}

/** The catalog as indices of Elasticsearch, one a build. */
export function openCatalogStore({
  client,
  prefix,
  onWipeFailed = () => undefined,
}: CatalogStoreOptions): CatalogStore {
  const indices = indicesOf(client, prefix)
  const writer = (of: Pick<WriterOptions, 'epoch' | 'checkpoint' | 'inService'>): CatalogWriter =>
    new CatalogWriter({ client, indices, onWipeFailed, ...of })

  async function create(epoch: number, inService: boolean): Promise<CatalogWriter> {
    await indices.create(epoch, inService)
    const checkpoint = await Checkpoint.create(client, indices.nameOf(epoch))
    return writer({ epoch, checkpoint, inService })
  }

  return {
    name: 'catalog',
    ...unavailableWhenAway({
      async open() {
        const found = await indices.list()
        const current = found.find(({ isInService }) => isInService)
        if (found.length === 0) return create(1, true)
        if (!current) throw broken('it was damaged before and is not made anew yet')
        const { epoch, version } = current
        if (version !== VERSION) {
          await indices.retire()
          throw broken(`its version is ${version}, and this release needs ${VERSION}`)
        }
        const checkpoint = await Checkpoint.takeOver(client, indices.nameOf(epoch))
        await indices.sweep(epoch)
        return writer({ epoch, checkpoint, inService: true })
      },

      async build() {
        const last = (await indices.list()).at(-1)
        return create((last?.epoch ?? 0) + 1, false)
      },
    }),
  }
}

const broken = (reason: string): ReadModelBroken => new ReadModelBroken('catalog', new Error(reason))
