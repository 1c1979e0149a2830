import type { Client } from '@elastic/elasticsearch'
import { ReadModelBroken, WriterReplaced, type ReadModelStore } from '@medialog/application/ports'
import { Checkpoint } from './checkpoint.ts'
import { unavailableWhenAway } from './connection.ts'
import type { IndexDefinition } from './definition.ts'
import { indicesOf } from './indices.ts'
import { IndexWriter, type WriterOptions } from './writer.ts'

export interface IndexStoreOptions<Change> {
  client: Client
  /** What the names of its indices begin with. */
  prefix: string
  definition: IndexDefinition<Change>
  /** Receives the error of each failed try to purge removed content; it is tried again. */
  onWipeFailed?: (error: Error) => void
}

export interface IndexStore<Change> extends ReadModelStore<Change> {
  open(): Promise<IndexWriter<Change>>
  build(): Promise<IndexWriter<Change>>
}

/** The build in service, as this store opened it. */
interface InService {
  epoch: number
  checkpoint: Checkpoint
}

/** A read model as indices of Elasticsearch, one a build. */
export function openIndexStore<Change>({
  client,
  prefix,
  definition,
  onWipeFailed = () => undefined,
}: IndexStoreOptions<Change>): IndexStore<Change> {
  const { name: readModel, version, servesFrom = version } = definition
  const indices = indicesOf(client, prefix, definition)
  let inService: InService | null = null

  const broken = (reason: string): ReadModelBroken => new ReadModelBroken(readModel, new Error(reason))
  const indexOf = (epoch: number) => ({ readModel, index: indices.nameOf(epoch) })

  function writer(
    { epoch, checkpoint }: InService,
    state: Pick<WriterOptions<Change>, 'isInService' | 'isOutdated'>,
  ): IndexWriter<Change> {
    const index = indices.nameOf(epoch)
    return new IndexWriter({
      client,
      index,
      epoch,
      checkpoint,
      ...state,
      content: definition.contentOf(client, index),
      isRefreshedByReaders: definition.isRefreshedByReaders ?? false,
      onWipeFailed,
      promote: () => promote({ epoch, checkpoint }),
      remove: () => indices.remove(epoch),
    })
  }

  async function create(epoch: number, isInService: boolean): Promise<IndexWriter<Change>> {
    await indices.create(epoch, isInService)
    const made = { epoch, checkpoint: await Checkpoint.create(client, indexOf(epoch)) }
    if (isInService) inService = made
    return writer(made, { isInService, isOutdated: false })
  }

  /** @throws WriterReplaced where another process has put a build into service, or writes to the one that is */
  async function promote(build: InService): Promise<void> {
    await indices.promote(build.epoch, await replaceable())
    inService = build
    await indices.sweep(build.epoch)
  }

  /** The epoch that may be replaced: none where the one that was in service is lost. */
  async function replaceable(): Promise<number | null> {
    const current = (await indices.list()).find(({ isInService }) => isInService)
    if (!current) return null
    if (inService?.epoch !== current.epoch)
      throw new WriterReplaced(readModel, `Another process rebuilt the read model ${readModel}.`)
    await inService.checkpoint.check()
    return current.epoch
  }

  return {
    name: readModel,
    ...unavailableWhenAway({
      async open() {
        inService = null
        if (definition.replaces) await indices.removeFormer(definition.replaces)
        const found = await indices.list()
        const current = found.find(({ isInService }) => isInService)
        if (found.length === 0) return create(1, true)
        if (!current) throw broken('it was damaged before and is not rebuilt yet')
        const { epoch } = current
        if (current.version === null || current.version > version || current.version < servesFrom) {
          await indices.retire()
          throw broken(`its version is ${current.version}, and this release needs ${version}`)
        }
        inService = { epoch, checkpoint: await Checkpoint.takeOver(client, indexOf(epoch)) }
        await indices.sweep(epoch)
        return writer(inService, { isInService: true, isOutdated: current.version < version })
      },

      async build() {
        const last = (await indices.list()).at(-1)
        return create((last?.epoch ?? 0) + 1, false)
      },
    }),
  }
}
