import type { AddWebhookInput, Delivery } from '@medialog/client'
import type { Command } from 'commander'
import { renderDeliveries, renderSecret, renderWebhook, renderWebhooks } from '../render/webhooks.ts'
import { clean } from '../terminal/text.ts'
import { choice, collect, examples, wholeNumber, type Register, type Run } from './command.ts'

const STATES: readonly Delivery['status'][] = ['pending', 'delivered', 'dead', 'erased']
/** The server knows which there are. */
type EventTypes = AddWebhookInput['types']

const ID = ['<webhook>', 'its id, from `webhooks list`'] as const

/** `webhooks …`: where what happens in the account is sent. */
export const registerWebhooks: Register = (program, run) => {
  const webhooks = program
    .command('webhooks')
    .description('where what happens in the account is sent')
    .addHelpText('after', examples('webhooks add https://example.com/medialog', 'webhooks list'))
  registerTargets(webhooks, run)
  registerSending(webhooks, run)
}

function registerTargets(webhooks: Command, run: Run): void {
  webhooks
    .command('list')
    .description('all webhooks')
    .addHelpText('after', examples('webhooks list'))
    .action(
      run(async (cli) => {
        cli.show(await cli.client().listWebhooks(), ({ webhooks }, look) => renderWebhooks(webhooks, look))
      }),
    )

  webhooks
    .command('add')
    .description('have what happens from now on sent to an address; its secret is shown this once')
    .argument('<url>', 'where to, over https')
    .option('--type <type>', 'only events of this type; may be given more than once, or with commas', collect)
    .addHelpText(
      'after',
      examples(
        'webhooks add https://example.com/medialog',
        'webhooks add https://example.com/medialog --type MediaIngested,MediaDeleted',
      ),
    )
    .action(
      run(async (cli, url: string, { type: types }: { type?: EventTypes }) => {
        cli.show(await cli.client().addWebhook({ url, types }), ({ webhook, secret }, look) => [
          ...renderWebhook(webhook, look),
          ...renderSecret(secret, look),
        ])
      }),
    )

  webhooks
    .command('change')
    .description('another address or other types; pause or resume')
    .argument(...ID)
    .option('--url <url>', 'where to')
    .option('--type <type>', 'only events of this type; may be given more than once, or with commas', collect)
    .option('--all-types', 'events of all types')
    .option('--pause', 'send nothing until it is resumed')
    .option('--resume', 'go on, with what happened meanwhile')
    .addHelpText('after', examples('webhooks change wh_0190… --pause', 'webhooks change wh_0190… --resume'))
    .action(
      run(async (cli, id: string, { url, type, allTypes, pause, resume }: ChangeFlags) => {
        const changed = await cli.client().changeWebhook({
          webhook_id: id,
          url,
          types: allTypes ? [] : type,
          ...((pause ?? resume) && { paused: pause === true }),
        })
        cli.show(changed, renderWebhook)
      }),
    )

  webhooks
    .command('remove')
    .description('send nothing there any more, and forget its deliveries')
    .argument(...ID)
    .addHelpText('after', examples('webhooks remove wh_0190…'))
    .action(
      run(async (cli, id: string) => {
        cli.show(await cli.client().removeWebhook({ webhook_id: id }), (_, look) => [
          `${look.good('✓')} ${clean(id)} is removed.`,
        ])
      }),
    )

  webhooks
    .command('secret')
    .description('make a new secret, shown this once; the former one signs too for a day')
    .argument(...ID)
    .addHelpText('after', examples('webhooks secret wh_0190…'))
    .action(
      run(async (cli, id: string) => {
        const rotated = await cli.client().rotateWebhookSecret({ webhook_id: id })
        cli.show(rotated, ({ secret, former_valid_until: until }, look) => renderSecret(secret, look, until))
      }),
    )
}

interface ChangeFlags {
  url?: string
  type?: EventTypes
  allTypes?: true
  pause?: true
  resume?: true
}

interface DeliveriesFlags {
  status?: Delivery['status']
  page: number
  pageSize: number
}

function registerSending(webhooks: Command, run: Run): void {
  webhooks
    .command('deliveries')
    .description('what was sent and what came of it, what changed last first')
    .argument(...ID)
    .addOption(choice('--status <status>', 'only such; `dead` was given up', STATES))
    .option('--page <number>', 'which page', wholeNumber(1), 1)
    .option('--page-size <number>', 'how many on a page', wholeNumber(1, 100), 20)
    .addHelpText(
      'after',
      examples('webhooks deliveries wh_0190…', 'webhooks deliveries wh_0190… --status dead'),
    )
    .action(
      run(async (cli, id: string, { status, page, pageSize }: DeliveriesFlags) => {
        const asked = { webhook_id: id, status, page, page_size: pageSize }
        cli.show(await cli.client().listDeliveries(asked), renderDeliveries)
      }),
    )

  webhooks
    .command('replay')
    .description('send again all that came after a position')
    .argument(...ID)
    .requiredOption(
      '--after <position>',
      'of a delivery, or an X-Position; `beginning` for all that there is',
    )
    .addHelpText('after', examples('webhooks replay wh_0190… --after beginning'))
    .action(
      run(async (cli, id: string, { after }: { after: string }) => {
        cli.show(await cli.client().replayWebhook({ webhook_id: id, after }), renderWebhook)
      }),
    )

  webhooks
    .command('resend')
    .description('send one event again')
    .argument(...ID)
    .argument('<delivery>', 'its id, from `webhooks deliveries`')
    .addHelpText('after', examples('webhooks resend wh_0190… 0190d3c2-…'))
    .action(
      run(async (cli, id: string, delivery: string) => {
        const queued = await cli.client().resendDelivery({ webhook_id: id, delivery_id: delivery })
        cli.show(queued, (_, look) => [`${look.good('✓')} It is being sent again.`])
      }),
    )

  webhooks
    .command('test')
    .description('send an event that says nothing')
    .argument(...ID)
    .addHelpText('after', examples('webhooks test wh_0190…'))
    .action(
      run(async (cli, id: string) => {
        cli.show(await cli.client().testWebhook({ webhook_id: id }), (_, look) => [
          `${look.good('✓')} It is being sent: \`medialog webhooks deliveries ${clean(id)}\` tells how it went.`,
        ])
      }),
    )
}
