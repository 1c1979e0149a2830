import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { openAccount } from '../harness/accounts.ts'
import { describeWithTool } from '../tools.ts'
import { expectVisible, SOON, useConsole } from './browser.ts'

describeWithTool('chromium', 'what stays when one looks elsewhere, in a browser', (chromium) => {
  const site = useConsole(chromium)
  beforeAll(async () => {
    const notes = Array.from({ length: 50 }, (_, number) => ({
      name: `note-${number}.txt`,
      content: new TextEncoder().encode(`Note ${number} of many.`),
    }))
    for (const first of [0, 25])
      await site.client.followBatch(
        (await site.client.createBatch({ file: notes.slice(first, first + 25), collection_id: 'notes' }))
          .batch_id,
      )
  })
  const open = (path: string): Promise<Page> => site.browser.open(path, { apiKey: site.apiKey })
  async function signIn(page: Page): Promise<void> {
    await page.getByLabel('API key').fill(site.apiKey)
    await page.keyboard.press('Enter')
  }
  const parameterOf = (page: Page, name: string): string | null => new URL(page.url()).searchParams.get(name)
  const place = (page: Page): Promise<number> => page.evaluate('scrollY')
  /** As soon as the page is long enough for it. */
  async function scrolledTo(page: Page, y: number): Promise<void> {
    const scrolled = async (): Promise<number> => {
      await page.evaluate(`scrollTo(0, ${y})`)
      return place(page)
    }
    await expect.poll(scrolled, SOON).toBe(y)
  }

  test('the filters, the selection and the place in a list are there when one returns to it', async () => {
    const page = await open('/library?type=document&collection=notes')
    await page.locator('.items a').nth(10).waitFor()
    await page
      .getByRole('checkbox', { name: /^Choose note-/ })
      .nth(2)
      .check()
    await scrolledTo(page, 900)
    const link = page.locator('.items a').nth(12)
    // A click would do so too, and move the place.
    await link.scrollIntoViewIfNeeded()
    const left = await place(page)
    expect(left).toBeGreaterThan(600)
    await link.click()
    await page.getByRole('link', { name: 'Text', exact: true }).click()
    await page.locator('.text').waitFor()
    expect(await place(page)).toBe(0)
    await page.getByRole('link', { name: 'Library' }).last().click()
    await expect.poll(() => place(page), SOON).toBe(left)
    expect([parameterOf(page, 'type'), parameterOf(page, 'collection')]).toEqual(['document', 'notes'])
    await expectVisible(page.getByText('1 chosen'))
    await page.waitForTimeout(300)
    await page.reload()
    await expect.poll(() => place(page), SOON).toBe(left)
    await page.goBack()
    await page.locator('.item-head').waitFor()
    await page.goForward()
    await expect.poll(() => place(page), SOON).toBe(left)
    // Another filter of the same view, and back.
    await page.getByRole('link', { name: 'All collections' }).click()
    await expect.poll(() => parameterOf(page, 'collection')).toBe(null)
    await scrolledTo(page, 300)
    await page.goBack()
    await expect.poll(() => place(page), SOON).toBe(left)
  })

  test('a half-typed question outlives the key', async () => {
    const { apiKey, accountId, keyId } = await openAccount(site.operator, { name: 'Revoked' })
    const page = await site.browser.open('/ask', { apiKey })
    await page.getByLabel('Question').fill('What did I want')
    await site.operator.request('DELETE', `/admin/accounts/${accountId}/keys/${keyId}`)
    await signIn(page)
    await expect.poll(() => page.getByLabel('Question').inputValue(), SOON).toBe('What did I want')
    await expect.poll(() => page.getByLabel('Question').inputValue(), SOON).toBe('What did I want')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await signIn(page)
    await page.getByRole('link', { name: 'Ask', exact: true }).click()
    expect(await page.getByLabel('Question').inputValue()).toBe('')
  })

  test('a question that is refused for a key that was revoked can be asked with another one', async () => {
    const { apiKey, accountId, keyId } = await openAccount(site.operator, { name: 'Revoked as well' })
    const page = await site.browser.open('/ask', { apiKey })
    await page.getByLabel('Question').fill('What did I want?')
    await site.operator.request('DELETE', `/admin/accounts/${accountId}/keys/${keyId}`)
    await page.keyboard.press('Enter')
    await signIn(page)
    await expect.poll(() => page.getByLabel('Question').inputValue(), SOON).toBe('What did I want?')
  })

  test('the span of billing is in the address', async () => {
    const page = await open('/billing')
    await page.getByText('30 days').click()
    await expect.poll(() => parameterOf(page, 'days')).toBe('30')
    await page.reload()
    await expect.poll(() => page.getByLabel('30 days').isChecked(), SOON).toBe(true)
  })

  test('a page beyond the last one leads to the last one', async () => {
    const page = await open('/library')
    // A ledger of three pages, and one list of a single page.
    for (const wrong of ['99', 'abc', '-1', '1.5', '1e99']) {
      await page.goto(`${site.server.url}/console/billing/ledger?page=${wrong}`)
      await expectVisible(page.locator('.ledger tbody tr').first())
      await page.goto(`${site.server.url}/console/batches?page=${wrong}`)
      await expectVisible(page.locator('.rows li').first())
      await expect.poll(() => parameterOf(page, 'page')).toBe(null)
    }
  })

  test('one who signs out is signed out in every tab, and a new tab is signed in', async () => {
    const first = await site.browser.open('/library')
    await signIn(first)
    await first.locator('.items a').first().waitFor()
    const [second] = await Promise.all([
      first.context().waitForEvent('page'),
      first
        .locator('.items a')
        .first()
        .click({ modifiers: ['ControlOrMeta'] }),
    ])
    await expectVisible(second.locator('.item-head'))
    await second.reload()
    await expectVisible(second.locator('.item-head'))
    // Signed in with another key, which stays.
    const { apiKey } = await openAccount(site.operator, { name: 'Another' })
    const other = await first.context().newPage()
    await other.addInitScript((key) => sessionStorage.setItem('medialog.api-key', key), apiKey)
    await other.goto(`${site.server.url}/console/library`)
    await expectVisible(other.getByText('Nothing is stored yet'))
    await second.getByRole('button', { name: 'Sign out' }).click()
    await expectVisible(first.getByLabel('API key'))
    expect(await first.locator('body').innerText()).not.toContain('note-')
    await first.reload()
    await expectVisible(first.getByLabel('API key'))
    await expectVisible(other.getByText('Nothing is stored yet'))
  })
})
