import { createClient } from '@medialog/client'
import { beforeAll, expect, test } from 'vitest'
import { openAccount } from '../harness/accounts.ts'
import { describeWithTool } from '../tools.ts'
import { expectAccessible, expectVisible, useConsole } from './browser.ts'

describeWithTool('chromium', 'keys that may not do everything, in a browser', (chromium) => {
  const site = useConsole(chromium)
  let accountId: string
  let mediaId: string
  beforeAll(async () => {
    const account = await openAccount(site.operator, { name: 'Refused', credit: 1 })
    const client = createClient({ url: site.server.url, apiKey: account.apiKey })
    const { media_id } = await client.uploadMedia({
      file: { name: 'letter.txt', content: new TextEncoder().encode('A letter that stays.') },
    })
    client.close()
    accountId = account.accountId
    mediaId = media_id
  })
  async function keyFor(...capabilities: string[]): Promise<string> {
    const { body } = await site.operator.request('POST', `/admin/accounts/${accountId}/keys`, {
      json: { capabilities },
    })
    return body.data.api_key
  }

  test('without the right to read, every view says which one is missing', async () => {
    const apiKey = await keyFor('write')
    const page = await site.browser.open('/library', { apiKey })
    const refusal = page.getByRole('alert').filter({ hasText: "lacks the capability 'read'" })
    for (const path of [
      '/library',
      '/batches',
      `/library/${mediaId}`,
      `/library/${mediaId}/life`,
      '/search?q=letter',
      '/billing',
      '/billing/ledger',
      '/billing/statement',
      '/live',
      '/live/webhooks',
      '/live/keys',
    ]) {
      await page.goto(`${site.server.url}/console${path}`)
      await expectVisible(refusal)
      expect(await refusal.count()).toBe(1)
      await expectAccessible(page)
    }
    await page.goto(`${site.server.url}/console/billing/replay`)
    await page.getByRole('button', { name: 'Replay the ledger' }).click()
    await expectVisible(refusal)
    await page.goto(`${site.server.url}/console/ask`)
    await page.getByLabel('Question').fill('What stays?')
    await page.keyboard.press('Enter')
    await expectVisible(refusal)
  })

  test('what a read-only key cannot change shows the refusal, and stays as it is', async () => {
    const page = await site.browser.open('/library', { apiKey: await keyFor('read') })
    const refusal = page.getByRole('alert').filter({ hasText: "lacks the capability 'write'" })
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Upload files' }).click()
    await (
      await chooser
    ).setFiles({ name: 'new.txt', mimeType: 'text/plain', buffer: Buffer.from('Something new.') })
    await expectVisible(
      page.getByRole('region', { name: 'Uploads' }).getByText("lacks the capability 'write'"),
    )
    await page.goto(`${site.server.url}/console/library/${mediaId}`)
    await page.getByRole('button', { name: 'Move' }).click()
    await page.getByRole('dialog').getByLabel('Collection').fill('elsewhere')
    await page.keyboard.press('Enter')
    await expectVisible(refusal)
    await page.goto(`${site.server.url}/console/live/webhooks`)
    await page.getByRole('button', { name: 'Add a webhook' }).click()
    await page.getByLabel('Address').fill('https://example.com/hook')
    await page.keyboard.press('Enter')
    await expectVisible(refusal)
    await page.goto(`${site.server.url}/console/library`)
    await expectVisible(page.getByText('1 item', { exact: true }))
  })
})
