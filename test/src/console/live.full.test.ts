import { createClient } from '@medialog/client'
import { startReceiver, status, type Receiver } from '@medialog/messaging/testing/receiver'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openAccount } from '../harness/accounts.ts'
import { describeWithTool } from '../tools.ts'
import { expectAccessible, expectVisible, useConsole, SOON } from './browser.ts'

describeWithTool('chromium', 'events, webhooks and the operator’s side in a browser', (chromium) => {
  let receiver: Receiver
  const site = useConsole(chromium, {
    MEDIALOG_WEBHOOK_HTTP: 'true',
    MEDIALOG_WEBHOOK_NETWORKS: '127.0.0.0/8',
  })
  beforeAll(async () => {
    receiver = await startReceiver()
  })
  afterAll(async () => {
    await receiver[Symbol.asyncDispose]()
  })
  const asAccount = (path: string) => site.browser.open(path, { apiKey: site.server.apiKey! })
  const asOperator = (path: string) => site.browser.open(path, { operatorToken: site.server.operatorToken })
  const upload = (name: string) =>
    site.client.uploadMedia({ file: { name, content: new TextEncoder().encode(`Told of ${name}.`) } })

  test('events appear as they happen, are held, and are read from the beginning', async () => {
    const page = await asAccount('/live')
    await expectVisible(page.getByText('Nothing happened yet'))
    await upload('live.txt')
    const stored = page.locator('.events li', { hasText: 'Understood and stored' })
    await expectVisible(stored)
    await expectVisible(stored.getByText(/^Document · \d+ bytes · default$/))
    await expectVisible(page.locator('.events li', { hasText: 'Charged' }).getByText('-$0.04'))
    await stored.locator('summary').click()
    await expectVisible(stored.getByText('"specversion": "1.0"'))
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Hold' }).click()
    const before = await page.locator('.events li').count()
    const { media_id } = await upload('held.txt')
    await page.getByRole('button', { name: 'Go on' }).click()
    await expect.poll(() => page.locator('.events li').count(), SOON).toBeGreaterThan(before)
    await page.getByLabel('From the beginning').check()
    await expectVisible(page.locator('.events li', { hasText: 'Credited' }))
    await page.getByLabel('Type').selectOption('MediaIngested')
    await page
      .locator('.events li', { hasText: media_id.slice(4) })
      .locator('summary')
      .click()
    await page.getByRole('link', { name: 'Look at it' }).click()
    await expectVisible(page.getByRole('heading', { name: 'held.txt' }))
  })

  test('what happens between the first read and the first event is shown too', async () => {
    const { apiKey } = await openAccount(site.operator, { name: 'Late', credit: 1 })
    const page = await site.browser.open('', {})
    let connect = (): void => {}
    const connected = new Promise<void>((resolve) => (connect = resolve))
    await page.route('**/v1/events*', async (route) => {
      await connected
      await route.continue()
    })
    await page.getByLabel('API key').fill(apiKey)
    await page.keyboard.press('Enter')
    await expectVisible(page.getByText('Nothing is stored yet'))
    const client = createClient({ url: site.server.url, apiKey })
    await client.uploadMedia({
      file: { name: 'between.txt', content: new TextEncoder().encode('In between.') },
    })
    client.close()
    connect()
    await expectVisible(page.getByRole('link', { name: 'between.txt' }))
  })

  test('a webhook is added, tested, fails, is sent again and removed', async () => {
    const page = await asAccount('/live/webhooks')
    await page.getByRole('button', { name: 'Add a webhook' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Address').fill('http://10.0.0.1/never')
    await dialog.getByRole('button', { name: 'Add a webhook' }).click()
    await expectVisible(dialog.getByRole('alert').filter({ hasText: /\w/ }))
    await dialog.getByLabel('Address').fill(receiver.url)
    await dialog.getByRole('button', { name: 'Add a webhook' }).click()
    await expectVisible(page.getByText(/^whsec_/))
    await expectAccessible(page)
    await page.getByRole('button', { name: 'I have kept it' }).click()
    await page.locator('a.row').click()
    receiver.answers(status(500))
    await page.getByRole('button', { name: 'Send a test event' }).click()
    await page.locator('.delivery summary').click()
    // A slow machine has tried again by now.
    await expectVisible(page.locator('.attempts li', { hasText: '· 500 ·' }).first())
    receiver.answers(status(204))
    await page.getByRole('button', { name: 'Send again' }).click()
    await expectVisible(page.locator('.state.delivered'))
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Pause' }).click()
    await expectVisible(page.locator('.state.paused'))
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await expectVisible(page.getByText('No webhooks'))
  })

  test('shows the account’s keys, and which one is used', async () => {
    const { accountId, keyId, apiKey } = await openAccount(site.operator, { name: 'Keys' })
    await site.operator.request('POST', `/admin/accounts/${accountId}/keys`, {
      json: { label: 'reader', capabilities: ['read'], expires_at: '2100-01-01' },
    })
    const page = await site.browser.open('/live/keys', { apiKey })
    await expectVisible(page.locator('.row', { hasText: keyId }).getByText('Used here'))
    await expectVisible(page.locator('.row', { hasText: 'reader' }).getByText(/· read ·.*expires/))
    await expectAccessible(page)
  })

  test('the operator signs in, opens an account, gives credit and keys, and closes it', async () => {
    const page = await site.browser.open('')
    await page.getByRole('button', { name: 'Sign in as the operator' }).click()
    await page.getByLabel('Operator token').fill('wrong')
    await page.keyboard.press('Enter')
    await expectVisible(page.getByText('The service does not know this token.'))
    await page.getByLabel('Operator token').fill(site.server.operatorToken)
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Accounts' }).click()
    await page.getByRole('button', { name: 'Open an account' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Acme <b>')
    await dialog.getByLabel('Credit in USD').fill('5')
    await dialog.getByRole('button', { name: 'Open an account' }).click()
    await expectVisible(page.getByRole('heading', { name: 'Acme <b>' }))
    await page.getByLabel('Credit in USD').fill('2.5')
    await page.getByLabel('Reference').fill('invoice 7')
    await page.getByRole('button', { name: 'Give credit' }).click()
    await expectVisible(page.getByText('$7.50').first())
    await page.getByLabel('Label').fill('reader')
    await page.getByLabel('write').uncheck()
    await page.getByLabel('delete').uncheck()
    await page.getByRole('button', { name: 'Issue a key' }).click()
    const key = await page.getByText(/^mlk_/).innerText()
    const reader = createClient({ url: site.server.url, apiKey: key })
    expect((await reader.readStatus()).account.capabilities).toEqual(['read'])
    await page.getByRole('button', { name: 'I have kept it' }).click()
    await expectAccessible(page)
    expect(await page.getByLabel('Label').inputValue()).toBe('')
    await page.getByRole('button', { name: 'Suspend' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click()
    await expectVisible(page.locator('.state.suspended'))
    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await expectVisible(page.getByText('Revoked', { exact: true }))
    await expect(reader.readStatus({}, { attempts: 1 })).rejects.toThrow(/key/i)
    reader.close()
    await page.getByRole('button', { name: 'Close the account' }).click()
    const closing = page.getByRole('dialog').getByRole('button', { name: 'Close the account' })
    expect(await closing.isDisabled()).toBe(true)
    await page.getByLabel('Type Acme <b> to go on').fill('Acme <b>')
    await closing.click()
    await expectVisible(page.locator('.state.closed'))
  })

  test('read models are verified and rebuilt, with their progress', async () => {
    const page = await asOperator('/operator/read-models')
    await page.getByRole('button', { name: 'Rebuild catalog' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Rebuild', exact: true }).click()
    const position = page.getByRole('row', { name: 'Usage' }).getByRole('cell').first()
    expect(Number((await position.innerText()).replaceAll(',', ''))).toBeGreaterThan(0)
    await page.getByRole('button', { name: 'Verify all' }).click()
    await expect.poll(() => page.locator('.state.succeeded').count(), SOON).toBe(2)
    await page.locator('.operations summary').first().click()
    await expectVisible(page.getByText('"identical": true').first())
    await expectAccessible(page)
  })

  test('the log is verified, and a signed tree head kept and verified against', async () => {
    const page = await asOperator('/operator/log')
    await page.getByRole('button', { name: 'Sign a tree head' }).click()
    const note = await page.locator('pre.code').first().innerText()
    await upload('after-the-head.txt')
    await page.getByLabel('A signed note that was kept').fill(note)
    await page.getByRole('button', { name: 'Verify against the note' }).click()
    await expectVisible(page.locator('.state.succeeded').first())
    await expectAccessible(page)
    // It says another size than was signed.
    await page.getByLabel('A signed note that was kept').fill(note.replace(/^\d+$/m, '1'))
    await page.getByRole('button', { name: 'Verify against the note' }).click()
    await expectVisible(page.locator('.operation', { hasText: 'no signature of a known key is on it' }))
  })

  test('an erasure is audited by its receipt, and an account’s history added up at other prices', async () => {
    const { media_id } = await upload('to-be-erased.txt')
    const { erasure } = await site.client.deleteMedia({ media_id, receipt: true })
    const page = await asOperator('/operator/log')
    expect(await page.getByRole('button', { name: 'Audit the erasure' }).isDisabled()).toBe(true)
    await page.getByLabel('Erasure of the receipt').fill(erasure!.erasure_id)
    await page.getByRole('button', { name: 'Audit the erasure' }).click()
    await expectVisible(
      page.locator('.operation', { hasText: 'Audit an erasure' }).getByText('No fault found'),
    )
    await expectAccessible(page)
    const { account_info, billing_summary } = await site.client.readUsage()
    await page.goto(`${site.server.url}/console/operator/accounts/${account_info.user_id}`)
    const paid = billing_summary.usage_costs['DOCUMENT_PROCESSING']!
    await page.getByLabel('Other price of Documents').fill('0.06')
    await page.getByRole('button', { name: 'Add up again' }).click()
    const row = page.getByRole('row', { name: 'Documents' })
    await expectVisible(row.getByText(`$${paid.toFixed(2)}`))
    await expectVisible(row.getByText(`$${(2 * paid).toFixed(2)}`))
    await expectAccessible(page)
  })

  test('health, embeddings and metrics are there to be seen', async () => {
    const page = await asOperator('/operator')
    await expectVisible(page.getByText('Erasures pending'))
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Embeddings' }).click()
    await expectVisible(page.getByText('Every item has vectors of this model.'))
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Metrics' }).click()
    await expectVisible(page.locator('.chart canvas').first())
    await expectVisible(page.getByText(/^\d+ MB$/))
    await expectAccessible(page)
  })

  test('an account’s key does not open the operator’s side', async () => {
    const page = await asAccount('/operator/accounts')
    await expectVisible(page.getByText('This needs the operator token'))
    expect(await page.getByRole('link', { name: 'Operator' }).count()).toBe(0)
  })
})
