import { counted } from '@medialog/kernel'
import { renderCollection, renderCollections, renderMoved } from '../render/collections.ts'
import { clean } from '../terminal/text.ts'
import { examples, type Register } from './command.ts'
import { confirm } from './delete.ts'
import { receiptAsked, withReceipt, writeReceipt } from './receipts.ts'

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
        cli.show(await cli.client().listCollections(), renderCollections)
      }),
    )

  collections
    .command('show')
    .description('one collection')
    .argument('<name>')
    .addHelpText('after', examples('collections show papers'))
    .action(
      run(async (cli, name: string) => {
        cli.show(await cli.client().readCollection({ collection_id: name }), renderCollection)
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
        const data = await client.deleteCollection({ collection_id: name, ...receiptAsked(receipt) })
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
        cli.show(await cli.client().moveItems({ collection_id: name, items }), renderMoved)
      }),
    )
}
