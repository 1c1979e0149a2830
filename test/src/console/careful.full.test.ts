import { createClient } from '@medialog/client'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openAccount } from '../harness/accounts.ts'
import { describeWithTool } from '../tools.ts'
import { expectAccessible, expectVisible, SOON, submitTwice, useConsole } from './browser.ts'

/** What has the focus. */
const focused = (page: Page) => page.locator(':focus')

/** Holds a key down: it is pressed again and again. */
async function hold(page: Page, key: string): Promise<void> {
  for (let press = 0; press < 20; press++) {
    await page.keyboard.down(key)
    await page.waitForTimeout(15)
  }
  await page.keyboard.up(key)
}

describeWithTool('chromium', 'what cannot be undone, in a browser', (chromium) => {
  const site = useConsole(chromium)

  /** An account with as many notes. */
  async function accountWith(count: number) {
    const { apiKey, accountId } = await openAccount(site.operator, { name: `With ${count}`, credit: 5 })
    const client = createClient({ url: site.server.url, apiKey })
    const notes = Array.from({ length: count }, (_, number) => ({
      name: `note-${number}.txt`,
      content: new TextEncoder().encode(`Note ${number} of ${count}.`),
    }))
    for (let first = 0; first < count; first += 25)
      await client.followBatch((await client.createBatch({ file: notes.slice(first, first + 25) })).batch_id)
    const listed = async () => (await client.listMedia()).pagination.total_items
    return { apiKey, accountId, client, listed }
  }

  test('a dialog that deletes opens on Cancel, names what goes, and is not answered by a key that is held', async () => {
    const { apiKey, client, listed } = await accountWith(2)
    const page = await site.browser.open('/library', { apiKey })
    await page.locator('.items a').first().click()
    await page.getByRole('button', { name: 'Delete' }).focus()
    await hold(page, 'Enter')
    const dialog = page.getByRole('dialog')
    await expectVisible(dialog.getByText(/note-\d\.txt/))
    expect(await focused(page).innerText()).toBe('Cancel')
    expect(await listed()).toBe(2)
    await expectAccessible(page)
    await page.keyboard.press('Tab')
    expect(await focused(page).innerText()).toBe('Delete and erase')
    await hold(page, ' ')
    await expectVisible(page.getByText('Deleted and erased'))
    expect(await listed()).toBe(1)
    client.close()
  })

  test('more than ten items are deleted only once a word is typed', async () => {
    const { apiKey, client, listed } = await accountWith(12)
    const page = await site.browser.open('/library', { apiKey })
    await page.locator('.items a').nth(11).waitFor()
    for (const box of await page.getByRole('checkbox', { name: /^Choose note-/ }).all()) await box.check()
    await page.getByRole('region', { name: 'Chosen items' }).getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog')
    await expectVisible(dialog.getByText('and 2 more'))
    await expectAccessible(page)
    const erase = dialog.getByRole('button', { name: 'Delete and erase' })
    expect(await erase.isDisabled()).toBe(true)
    await dialog.getByLabel('Type delete to go on').fill('delete')
    await page.keyboard.press('Enter')
    expect(await listed()).toBe(12)
    await erase.click()
    await expectVisible(page.getByText('Deleted and erased'))
    expect(await listed()).toBe(0)
    client.close()
  })

  test('a secret is closed by its button alone', async () => {
    const { accountId } = await accountWith(1)
    const page = await site.browser.open(`/operator/accounts/${accountId}`, {
      operatorToken: site.server.operatorToken,
    })
    await page.getByLabel('Label').fill('reader')
    await page.getByRole('button', { name: 'Issue a key' }).click()
    const secret = page.getByText(/^mlk_/)
    await secret.waitFor()
    for (let press = 0; press < 3; press++) await page.keyboard.press('Escape')
    await page.mouse.click(5, 5)
    await expectVisible(secret)
    await expectVisible(page.getByText('it cannot be shown again'))
    await expectAccessible(page)
    await page.getByRole('button', { name: 'I have kept it' }).click()
    await secret.waitFor({ state: 'detached' })
    expect(await page.getByLabel('Label').inputValue()).toBe('')
  })

  test('much credit, a suspension, a revocation and a rebuild ask first', async () => {
    const { accountId } = await accountWith(1)
    const page = await site.browser.open(`/operator/accounts/${accountId}`, {
      operatorToken: site.server.operatorToken,
    })
    const account = async () => (await site.operator.request('GET', `/admin/accounts/${accountId}`)).body.data
    const before = await account()
    const dialog = page.getByRole('dialog')
    await page.getByLabel('Credit in USD').fill('1000')
    await page.keyboard.press('Enter')
    await expectVisible(dialog.getByRole('heading', { name: 'Give credit of $1,000.00?' }))
    await hold(page, 'Enter')
    expect(await account()).toEqual(before)
    await page.goto(`${site.server.url}/console/operator/accounts`)
    await page.getByRole('button', { name: 'Open an account' }).click()
    await dialog.getByLabel('Name').fill('Rich')
    await dialog.getByLabel('Credit in USD').fill('1000')
    await page.keyboard.press('Enter')
    await expectVisible(dialog.getByRole('heading', { name: 'Give credit of $1,000.00?' }))
    await page.keyboard.press('Enter')
    expect(await dialog.getByLabel('Name').inputValue()).toBe('Rich')
    await page.goto(`${site.server.url}/console/operator/accounts/${accountId}`)
    for (const action of ['Suspend', 'Revoke', 'Close the account']) {
      await page.getByRole('button', { name: action }).first().focus()
      await hold(page, 'Enter')
      await dialog.waitFor()
      expect(await focused(page).innerText()).toBe('Cancel')
      await expectAccessible(page)
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
    }
    expect(await account()).toEqual(before)
    await page.goto(`${site.server.url}/console/operator/read-models`)
    await page.getByRole('button', { name: 'Rebuild usage' }).click()
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    const { body } = await site.operator.request('GET', '/admin/operations')
    expect(body.data.operations).toEqual([])
  })

  test('credit that is given by two presses is given once', async () => {
    const { accountId } = await accountWith(1)
    const page = await site.browser.open(`/operator/accounts/${accountId}`, {
      operatorToken: site.server.operatorToken,
    })
    await page.getByLabel('Credit in USD').fill('7')
    await submitTwice(page, '.inline-form')
    await expect.poll(() => page.getByLabel('Credit in USD').inputValue(), SOON).toBe('')
    const { body } = await site.operator.request('GET', `/admin/accounts/${accountId}/ledger`)
    expect(body.data.totals.credited).toBe(12)
  })
})
