import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { openAccount } from '../harness/accounts.ts'
import { describeWithTool } from '../tools.ts'
import { expectVisible, SOON, useConsole } from './browser.ts'

describeWithTool('chromium', 'the focus in a browser', (chromium) => {
  const site = useConsole(chromium)
  beforeAll(async () => {
    const notes = Array.from({ length: 60 }, (_, number) => ({
      name: `note-${number}.txt`,
      content: new TextEncoder().encode(`Note ${number} of many about engines.`),
    }))
    for (const first of [0, 20, 40])
      await site.client.followBatch(
        (await site.client.createBatch({ file: notes.slice(first, first + 20), collection_id: 'notes' }))
          .batch_id,
      )
  })
  const open = (path: string): Promise<Page> => site.browser.open(path, { apiKey: site.apiKey })
  const focused = (page: Page): Promise<string> =>
    page.evaluate(`{
      const at = document.activeElement
      at === document.body ? '' : at.tagName + ' ' + (at.getAttribute('aria-label') ?? at.textContent.trim().slice(0, 40))
    }`)
  async function expectFocus(page: Page, name: RegExp): Promise<void> {
    await expect.poll(() => focused(page), SOON).toMatch(name)
  }
  /** Presses keys until what has the focus matches. */
  async function tabTo(page: Page, name: RegExp, key = 'Tab'): Promise<void> {
    for (let press = 0; press < 150; press++) {
      if (name.test(await focused(page))) return
      await page.keyboard.press(key)
    }
    expect(await focused(page)).toMatch(name)
  }

  test('goes to what is opened, and back to where one was', async () => {
    const page = await open('/library')
    await page.locator('.items a').nth(7).waitFor()
    await tabTo(page, /^A .*note-5[0-9]/)
    for (let row = 0; row < 3; row++) for (const key of ['Tab', 'Tab']) await page.keyboard.press(key)
    const link = await focused(page)
    expect(link).toMatch(/^A /)
    await page.keyboard.press('Enter')
    await expectFocus(page, /^H1 note-/)
    await page.goBack()
    await expect.poll(() => focused(page), SOON).toBe(link)
    await page.keyboard.press('Enter')
    await expectFocus(page, /^H1 note-/)
    await tabTo(page, /^A Library/, 'Shift+Tab')
    await page.keyboard.press('Enter')
    await expect.poll(() => focused(page), SOON).toBe(link)
  })

  test('follows a citation to its passage, and a similar item to its view', async () => {
    const page = await open('/ask')
    await page.getByLabel('Question').fill('What are the notes about?')
    await page.keyboard.press('Enter')
    // A number in the answer leads to its source, on the same page.
    await page.setViewportSize({ width: 1280, height: 240 })
    await page.locator('a.citation').first().click()
    await expect.poll(() => page.evaluate('scrollY'), SOON).toBeGreaterThan(0)
    await page.waitForTimeout(300)
    expect(await page.evaluate('scrollY')).toBeGreaterThan(0)
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.locator('.sources a').first().focus()
    await page.keyboard.press('Enter')
    await expectFocus(page, /^H1 note-/)
    await page.goBack()
    await expectFocus(page, /^A note-/)
    await page.locator('.sources a').first().focus()
    await page.keyboard.press('Enter')
    await expectFocus(page, /^H1 note-/)
    await tabTo(page, /^A Similar items/)
    await page.keyboard.press('Enter')
    await expectFocus(page, /^H1 Similar items/)
    await tabTo(page, /^BUTTON Find similar items for/)
    await page.keyboard.press('Enter')
    await page.locator('.similar-row').first().waitFor()
    await expectFocus(page, /^H[12] /)
  })

  test('a dialog gives it back; what is deleted, moved, revoked or cancelled leaves it in the page', async () => {
    const { accountId } = await openAccount(site.operator, { name: 'Keys' })
    const operator = await site.browser.open(`/operator/accounts/${accountId}`, {
      operatorToken: site.server.operatorToken,
    })
    await operator.getByRole('button', { name: /^Revoke/ }).focus()
    await operator.keyboard.press('Enter')
    await expectFocus(operator, /^BUTTON Cancel/)
    await operator.keyboard.press('Escape')
    await expectFocus(operator, /^BUTTON Revoke/)
    await operator.keyboard.press('Enter')
    await operator.keyboard.press('Tab')
    await operator.keyboard.press('Enter')
    await expectVisible(operator.getByText('Revoked', { exact: true }))
    await expectFocus(operator, /^(H2|BUTTON|INPUT|H1) /)
    const page = await open('/library')
    await page
      .getByRole('checkbox', { name: /^Choose note-/ })
      .nth(3)
      .focus()
    await page.keyboard.press('Space')
    await page.getByRole('region', { name: 'Chosen items' }).waitFor()
    await page.keyboard.press('Alt+A')
    await expectFocus(page, /^BUTTON Move/)
    await page.keyboard.press('Alt+A')
    await expectFocus(page, /^INPUT Choose note-/)
    await page.keyboard.press('Alt+A')
    await tabTo(page, /^BUTTON Delete/)
    await page.keyboard.press('Enter')
    await tabTo(page, /^BUTTON Delete and erase/)
    await page.keyboard.press('Enter')
    await expectFocus(page, /^H2 Deleted and erased/)
    await tabTo(page, /^BUTTON Back to the library/)
    await page.keyboard.press('Enter')
    await expectFocus(page, /^H1 Library/)
    await page.locator('.items a').nth(2).focus()
    await page.keyboard.press('Enter')
    await expectFocus(page, /^H1 note-/)
    await tabTo(page, /^BUTTON Move/)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByLabel('Collection').fill('elsewhere')
    await page.keyboard.press('Enter')
    await expectFocus(page, /^BUTTON Move/)
    await expect
      .poll(() => page.getByRole('status').allInnerTexts(), SOON)
      .toContainEqual(expect.stringMatching(/moved/i))
  })

  test('stays on a row of a long list however far one scrolls', async () => {
    const page = await open('/library')
    await page.locator('.items a').nth(4).focus()
    const link = await focused(page)
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    await expectVisible(page.locator('.items li[aria-posinset="55"] a'))
    await page.waitForTimeout(300)
    expect(await focused(page)).toBe(link)
    await page.keyboard.press('Tab')
    await expectFocus(page, /^INPUT Choose note-/)
  })

  test('a key leads past the collections, and past what stands around the views', async () => {
    const page = await open('/library')
    await page.locator('.items a').nth(4).waitFor()
    await tabTo(page, /^A Skip to the items/)
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await expectFocus(page, /^INPUT Choose note-/)
  })
})
