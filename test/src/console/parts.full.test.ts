import { createClient } from '@medialog/client'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openAccount } from '../harness/accounts.ts'
import { describeWithTool } from '../tools.ts'
import { expectAccessible, expectVisible, SOON, startAgain, useConsole } from './browser.ts'

describeWithTool('chromium', 'parts of the console that do not come', (chromium) => {
  const site = useConsole(chromium)

  async function openAs(name: string) {
    const { apiKey } = await openAccount(site.operator, { name, credit: 10 })
    const page = await site.browser.open('/library', { apiKey })
    await expectVisible(page.getByText('Nothing is stored yet'))
    // Gone once the page is loaded again.
    await page.evaluate('window.isSame = true')
    return { page, client: createClient({ url: site.server.url, apiKey }) }
  }
  const isSame = (page: Page): Promise<unknown> => page.evaluate('window.isSame')
  const view = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).first().click()
  async function upload(page: Page, name: string): Promise<void> {
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Upload files' }).click()
    await (
      await chooser
    ).setFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(`What ${name} says.`) })
  }

  test('a view that cannot be loaded leaves the page, and an upload goes on', async () => {
    const { page, client } = await openAs('Parts')
    let isHeld = true
    await page.route('**/v1/media/upload', async (route) => {
      while (isHeld) await page.waitForTimeout(50)
      await route.continue()
    })
    await upload(page, 'held.txt')
    for (const [name, part] of [
      ['Billing', 'billing'],
      ['Ask', 'ask'],
      ['Search', 'search'],
      ['Live', 'live'],
    ] as const) {
      await page.route(`**/assets/${part}-*`, (route) => route.abort())
      await view(page, name)
      await expectVisible(page.getByRole('heading', { name: 'This view could not be loaded' }))
      await expectVisible(page.getByRole('region', { name: 'Uploads' }))
      await expectAccessible(page)
      await page.unroute(`**/assets/${part}-*`)
      await page.getByRole('button', { name: 'Try again' }).click()
      await expectVisible(page.getByRole('heading', { name, level: 1 }))
    }
    isHeld = false
    await expectVisible(page.getByText('1 of 1 files stored'))
    expect(await isSame(page)).toBe(true)
    expectMissingParts()
    client.close()
  })

  test('an upload goes on when the line is cut for ten seconds', async () => {
    const { page, client } = await openAs('Offline')
    await page.context().setOffline(true)
    await upload(page, 'offline.txt')
    await view(page, 'Billing')
    await page.waitForTimeout(10_000)
    await expectVisible(page.getByRole('region', { name: 'Uploads' }).getByText('offline.txt'))
    await page.context().setOffline(false)
    await expectVisible(page.getByText('1 of 1 files stored'))
    expect((await client.readUsage()).account_info.balance).toBe(9.96)
    expect(await isSame(page)).toBe(true)
    site.browser.takeComplaints()
    client.close()
  })

  /** Nothing else failed. */
  function expectMissingParts(): void {
    const complaints = site.browser.takeComplaints()
    expect(complaints.length).toBeGreaterThan(0)
    for (const complaint of complaints) expect(complaint).toContain('A part of the page could not be loaded.')
  }

  /** The service has other pages from now on, and no longer the parts of these. */
  async function replaceRelease(page: Page): Promise<() => Promise<void>> {
    await page.route('**/assets/*', (route) => route.fulfill({ status: 404 }))
    await page.route('**/console/', async (route) => {
      const response = await route.fetch()
      await route.fulfill({
        response,
        body: (await response.text()).replace('/assets/index-', '/assets/index-2'),
      })
    })
    return () => page.unrouteAll()
  }

  test('after an update the page says that it is old, and the next view comes from the new release', async () => {
    const { page, client } = await openAs('Update')
    const end = await replaceRelease(page)
    await view(page, 'Billing')
    await expectVisible(page.getByText('A new version is here.'))
    await expectAccessible(page)
    await end()
    await view(page, 'Ask')
    await expect.poll(() => isSame(page), SOON).toBe(undefined)
    await expectVisible(page.getByRole('heading', { name: 'Ask' }))
    expectMissingParts()
    client.close()
  })

  test('an old page is not reloaded while an upload is under way', async () => {
    const { page, client } = await openAs('Busy')
    // Loaded before, so that it can be shown.
    await view(page, 'Ask')
    await expectVisible(page.getByRole('heading', { name: 'Ask' }))
    await view(page, 'Library')
    await site.server.kill()
    await upload(page, 'while-away.txt')
    await expectVisible(page.getByText('The service does not answer'))
    await replaceRelease(page)
    let isHeld = true
    await page.route('**/v1/media/upload', async (route) => {
      while (isHeld) await page.waitForTimeout(50)
      await route.continue()
    })
    await startAgain(site)
    await expectVisible(page.getByText('A new version is here.'))
    await view(page, 'Ask')
    await expectVisible(page.getByRole('heading', { name: 'Ask' }))
    expect(await isSame(page)).toBe(true)
    isHeld = false
    await expectVisible(page.getByText('1 of 1 files stored'))
    expect((await client.listMedia()).pagination.total_items).toBe(1)
    client.close()
  })
})
