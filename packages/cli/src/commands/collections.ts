import { counted } from '@medialog/kernel'
import type { CollectionAnswer, CollectionList, DeletedCollection, Moved } from '../client/answers.ts'
import { renderCollection, renderCollections, renderMoved } from '../render/collections.ts'
import { clean } from '../terminal/text.ts'
import { examples, type Register } from './command.ts'
import { confirm } from './delete.ts'
import { reading } from './media.ts'
import { withReceipt, writeReceipt } from './receipts.ts'

const pathOf = (name: string) => `/v1/media/collections/${encodeURIComponent(name)}`

export const registerCollections: Register = (program, run) => {
  const collections = program
    .command('collections')
    .description('how items are grouped')
    .addHelpText('after', examples('collections list', 'collections move papers doc_0b0e…'))

  collections
    .command('list')
    .description('all collections')
    .addHelpText('after', examples('collections list'))
    .action(
      run(async (cli) => {
        const { data } = await reading(cli, (client) =>
          client.call<CollectionList>('GET', '/v1/media/collections'),
        )
        cli.show(data, renderCollections)
      }),
    )

  collections
    .command('show')
    .description('one collection')
    .argument('<name>')
    .addHelpText('after', examples('collections show papers'))
    .action(
      run(async (cli, name: string) => {
        const { data } = await reading(cli, (client) => client.call<CollectionAnswer>('GET', pathOf(name)))
        cli.show(data, renderCollection)
      }),
    )

  withReceipt(collections.command('delete'))
    .description('delete a collection and everything in it for ever')
    .argument('<name>')
    .option('-y, --yes', 'without asking')
    .addHelpText('after', examples('collections delete papers', 'collections delete papers --yes'))
    .action(
      run(async (cli, name: string, { yes, receipt }: { yes?: boolean; receipt?: string }) => {
        const client = cli.client()
        if (!yes) await confirm(cli, `Delete the collection ${clean(name)} and everything in it for ever?`)
        const query = { receipt: receipt === undefined ? undefined : true }
        const { data } = await client.call<DeletedCollection>('DELETE', pathOf(name), { query })
        if (receipt !== undefined && data.erasure)
          data.erasure = await writeReceipt(cli, receipt, data.erasure)
        cli.show(data, ({ collection_id: id, deleted_items: items }, look) => [
          `${look.good('✓')} ${clean(id)} and ${counted(items, 'item')} deleted`,
        ])
      }),
    )

  collections
    .command('move')
    .description('move items into a collection, all or none; it is made if it is missing')
    .argument('<name>', 'where to')
    .argument('<id...>', 'the items')
    .addHelpText(
      'after',
      examples('collections move papers doc_0b0e… doc_7a1c…', 'collections move default doc_0b0e…'),
    )
    .action(
      run(async (cli, name: string, items: string[]) => {
        const { data } = await cli.client().call<Moved>('POST', `${pathOf(name)}/items`, { json: { items } })
        cli.show(data, renderMoved)
      }),
    )
}
