import { createClient } from '@medialog/client'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { fillCatalog, libraryItems } from '../../bench/fill-catalog.ts'
import { openAccount } from '../harness/accounts.ts'
import { describeWithTool } from '../tools.ts'
import {
  expectAccessible,
  expectSpacedText,
  expectToFit,
  expectVisible,
  SOON,
  startAgain,
  useConsole,
} from './browser.ts'

/** As long as the service takes them, and without a space to break at. */
const LONG = {
  name: `${'Donaudampfschiff'.repeat(14)}.txt`,
  collection: 'c'.repeat(64),
  word: 'x'.repeat(4000),
}
const DESK = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 844 }
const SMALL = { width: 320, height: 568 }

/** Notes what has had the focus, and what could not be seen meanwhile. A row that leaves the window comes back as another element. */
const WATCH_FOCUS = `{
  window.nameOf = (element) => element.tagName +
    (element.getAttribute('href') ?? element.getAttribute('aria-label') ?? element.id + element.textContent)
  window.reached = []
  window.notSeen = []
  window.wentAround = false
  document.activeElement.blur()
  addEventListener('focusin', ({ target }) => {
    window.wentAround ||= window.reached.length > 1 && window.reached[0] === window.nameOf(target)
    window.reached.push(window.nameOf(target))
    const { left, right, top, bottom } = target.getBoundingClientRect()
    const above = document.elementFromPoint((left + right) / 2, Math.min((top + bottom) / 2, top + 20))
    if (!above || !(target.contains(above) || above.contains(target) || target.labels?.[0]?.contains(above)))
      window.notSeen.push(target.outerHTML.slice(0, 150))
  })
}`

/** Controls that one sees and that had no focus. Of radio buttons, one of a group has it. */
const MISSED = `({
  notReached: [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
    .filter((element) => element.checkVisibility() && !element.disabled && element.tabIndex >= 0)
    .filter((element) => element.type !== 'radio' && !window.reached.includes(window.nameOf(element)))
    .map((element) => element.outerHTML.slice(0, 150)),
  notSeen: window.notSeen,
})`

const MANY = 1000

describeWithTool('chromium', 'every view for everyone, in a browser', (chromium) => {
  const site = useConsole(chromium)
  let account: { apiKey: string; accountId: string }
  let mediaId: string
  let batchId: string
  let webhookId: string
  let requestId: string
  beforeAll(async () => {
    account = await openAccount(site.operator, { name: 'N'.repeat(100), credit: 5 })
    const client = createClient({ url: site.server.url, apiKey: account.apiKey })
    const content = (text: string) => new TextEncoder().encode(text)
    const text = `Ada Lovelace ${LONG.word} wrote to Charles Babbage about engines. ${'Engines run. '.repeat(200)}`
    const file = { name: LONG.name, content: content(text) }
    mediaId = (await client.uploadMedia({ file, collection_id: LONG.collection })).media_id
    const notes = Array.from({ length: 20 }, (_, number) => ({
      name: `${number}-${LONG.name}`,
      content: content(
        `Engine ${number} of Ada Lovelace, and Charles Babbage designed engines. ${LONG.word}`,
      ),
    }))
    batchId = (await client.createBatch({ file: notes })).batch_id
    await client.followBatch(batchId)
    for (const [name, letter] of [
      [`letter-${LONG.name}`, 'A letter of Ada Lovelace to Charles Babbage about the analytical engine.'],
      [`engine-${LONG.name}`, 'Charles Babbage designed the analytical engine. It was never finished.'],
    ] as const)
      await client.uploadMedia({ file: { name, content: content(letter) }, collection_id: 'own' })
    const url = `https://example.com/${'hook'.repeat(100)}`
    webhookId = (await client.addWebhook({ url })).webhook.webhook_id
    requestId = (await client.readLedger()).postings.find(({ cause }) => cause.request_id)!.cause.request_id!
    await site.operator.request('POST', `/admin/accounts/${account.accountId}/keys`, {
      json: { label: 'L'.repeat(60), capabilities: ['read'] },
    })
    client.close()
  })
  const views = (): string[] => [
    '/library',
    '/library?view=grid',
    `/library?collection=${LONG.collection}`,
    `/library/${mediaId}`,
    `/library/${mediaId}/text`,
    `/library/${mediaId}/life`,
    '/batches',
    `/batches/${batchId}`,
    '/search',
    '/search?q=engines',
    `/similar/${mediaId}`,
    '/ask',
    `/ask?item=${mediaId}`,
    '/billing',
    '/billing/ledger',
    '/billing/statement',
    '/billing/replay',
    `/requests/${requestId}`,
    '/live',
    '/live/webhooks',
    `/live/webhooks/${webhookId}`,
    '/live/keys',
    '/nowhere',
  ]
  const operatorViews = (): string[] => [
    '/operator',
    '/operator/accounts',
    `/operator/accounts/${account.accountId}`,
    '/operator/read-models',
    '/operator/log',
    '/operator/embeddings',
    '/operator/metrics',
  ]

  /** Nothing is loading any more. */
  async function settled(page: Page): Promise<void> {
    await expect.poll(() => page.locator('.loading, .opening').count(), SOON).toBe(0)
    // What comes beside it, such as the collections with their counts, may come later.
    let before = -1
    await expect
      .poll(
        async () => {
          const now = await page.locator('a, button, input, select, summary').count()
          const isSame = now === before
          before = now
          return isSame
        },
        { ...SOON, interval: 300 },
      )
      .toBe(true)
  }

  /** In both themes, at three widths, and with room between letters. */
  async function expectForEveryone(page: Page): Promise<void> {
    for (const [viewport, colorScheme] of [
      [DESK, 'light'],
      [PHONE, 'dark'],
    ] as const) {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme })
      await settled(page)
      await expectToFit(page)
      await expectAccessible(page)
      await expectSpacedText(page)
    }
    await page.setViewportSize(SMALL)
    await expectToFit(page)
    await page.setViewportSize(DESK)
    await page.emulateMedia({ colorScheme: 'light' })
  }

  describe('with long content', () => {
    test('of an account', async () => {
      const page = await site.browser.open('/library', { apiKey: account.apiKey })
      for (const view of views()) {
        await page.goto(`${site.server.url}/console${view}`)
        await page.getByRole('heading', { level: 1 }).first().waitFor()
        await expectForEveryone(page)
      }
    })

    test('of the operator', async () => {
      const page = await site.browser.open('/operator', { operatorToken: site.server.operatorToken })
      for (const view of operatorViews()) {
        await page.goto(`${site.server.url}/console${view}`)
        await page.getByRole('heading', { level: 1 }).first().waitFor()
        await expectForEveryone(page)
      }
    })
  })

  test('by keys alone: each control of each view is reached, and seen while it has the focus', async () => {
    for (const [seat, paths] of [
      [{ apiKey: account.apiKey }, views()],
      [{ operatorToken: site.server.operatorToken }, operatorViews()],
    ] as const) {
      const page = await site.browser.open('/nowhere', { ...seat, viewport: DESK })
      for (const path of paths) {
        await page.goto(`${site.server.url}/console${path}`)
        await page.getByRole('heading', { level: 1 }).first().waitFor()
        await settled(page)
        await page.evaluate(WATCH_FOCUS)
        for (let press = 0; press < 400; press++) {
          await page.keyboard.press('Tab')
          if (await page.evaluate('window.wentAround')) break
        }
        expect(await page.evaluate(MISSED), path).toEqual({ notReached: [], notSeen: [] })
      }
      await page.close()
    }
  })

  test('with nothing in it yet', async () => {
    const { apiKey } = await openAccount(site.operator, { name: 'Empty' })
    const page = await site.browser.open('/library', { apiKey })
    for (const view of [
      '/library',
      '/batches',
      '/search?q=nothing',
      '/billing',
      '/billing/ledger',
      '/live',
      '/live/webhooks',
    ]) {
      await page.goto(`${site.server.url}/console${view}`)
      await page.getByRole('heading', { level: 1 }).first().waitFor()
      await expectForEveryone(page)
    }
  })

  test('while it loads, with what was paid for, and with a dialog open', async () => {
    const page = await site.browser.open('/ask', { apiKey: account.apiKey })
    await page.getByLabel('Question').fill(`What does Ada say about ${LONG.word.slice(0, 300)}?`)
    await page.keyboard.press('Enter')
    await page.locator('.answer .soft.small').first().waitFor()
    await expectForEveryone(page)
    await page.goto(`${site.server.url}/console/search?q=a+letter+to+somebody&collection=own`)
    await page.getByRole('button', { name: 'Follow connections' }).click()
    await page
      .getByRole('group', { name: 'Graph of connected items' })
      .getByRole('button')
      .first()
      .press('Enter')
    await page.locator('.result summary').first().click()
    await expectForEveryone(page)
    await page.goto(`${site.server.url}/console/similar/${mediaId}`)
    await page.getByRole('button', { name: 'Find similar items' }).click()
    await page.locator('.similar-row').first().waitFor()
    await expectForEveryone(page)
    await page.goto(`${site.server.url}/console/library/${mediaId}`)
    for (const name of ['Move', 'Delete', 'Copy as code']) {
      await page.getByRole('button', { name }).click()
      await expectForEveryone(page)
      await page.keyboard.press('Escape')
    }
    await page.goto(`${site.server.url}/console/library`)
    await page
      .getByRole('checkbox', { name: /^Choose/ })
      .first()
      .check()
    await page.getByRole('region', { name: 'Chosen items' }).waitFor()
    await expectForEveryone(page)
    await page.route('**/v1/**', () => {})
    await page.reload()
    await page.locator('.opening').waitFor()
    await expectAccessible(page)
  })

  test('while reads are on their way, and while the service is stopped', async () => {
    const page = await site.browser.open('/library', { apiKey: account.apiKey })
    await page.locator('.items a').first().waitFor()
    // The feed is open, all else waits.
    await page.route('**/v1/{media,usage,search,batches,audit}**', () => {})
    for (const view of ['Search', 'Billing', 'Library']) {
      await page.getByRole('link', { name: view, exact: true }).first().click()
      if (view === 'Search') await page.getByLabel('Search the library').fill('engines')
      if (view === 'Library') await page.getByRole('link', { name: 'Batches' }).click()
      await page.locator('.loading').first().waitFor()
      await expectAccessible(page)
      await expectToFit(page)
    }
    await page.unrouteAll()
    await site.server.kill()
    await page.getByRole('link', { name: 'Billing' }).click()
    await expectVisible(page.getByText('The service does not answer.'))
    await expectAccessible(page)
    await page.setViewportSize(PHONE)
    await expectToFit(page)
    await startAgain(site)
    await expectVisible(page.getByText('Costs by day').first())
  })

  test('with a thousand items', async () => {
    const { apiKey, accountId } = await openAccount(site.operator, { name: 'Many' })
    await site.server.stop()
    await fillCatalog(site.dataFolder, accountId, libraryItems(MANY, 40), MANY)
    await startAgain(site)
    const page = await site.browser.open('/library', { apiKey })
    await expectVisible(page.getByText('1,000 items'))
    for (const view of ['list', 'grid']) {
      await page.goto(`${site.server.url}/console/library?view=${view}`)
      await page.locator('.items a').nth(5).waitFor()
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
      await expectVisible(page.locator('.items li[aria-posinset="1000"] a'))
      await expectForEveryone(page)
    }
  })

  test('charts give their values as a table, one press away', async () => {
    const page = await site.browser.open('/billing', { apiKey: account.apiKey })
    const charts = page.getByRole('img', { name: /: from \$/ })
    await expectVisible(charts.first())
    expect(await charts.count()).toBe(2)
    for (const values of await page.getByText('All values').all()) await values.click()
    const cost = page.getByRole('table', { name: 'Costs by day' }).first()
    await expectVisible(cost.getByRole('row').nth(1))
    expect(await page.getByRole('table', { name: /^Balance over time/ }).innerText()).toMatch(/\$\d/)
    await expectForEveryone(page)
  })

  test('at 390 pixels nothing that has the focus is covered, and balance and reference are there', async () => {
    const page = await site.browser.open('/library', { apiKey: account.apiKey, viewport: PHONE })
    await page.locator('.items a').nth(5).waitFor()
    await expectVisible(page.getByText('Balance'))
    await expectVisible(page.getByRole('link', { name: 'API reference' }))
    await page
      .getByRole('checkbox', { name: /^Choose/ })
      .first()
      .check()
    const covered: string[] = []
    for (let press = 0; press < 60; press++) {
      await page.keyboard.press('Tab')
      const over = await page.evaluate<string | null>(`{
        const at = document.activeElement
        const { left, right, top, bottom } = at.getBoundingClientRect()
        const [x, y] = [(left + right) / 2, (top + bottom) / 2]
        const above = document.elementFromPoint(x, y)
        at === document.body || above === null || at.contains(above) || above.contains(at)
          ? null : at.outerHTML.slice(0, 120) + ' under ' + above.outerHTML.slice(0, 120)
      }`)
      if (over !== null) covered.push(over)
    }
    expect(covered).toEqual([])
  })

  test('what is pasted is uploaded', async () => {
    const { apiKey } = await openAccount(site.operator, { name: 'Pasting', credit: 1 })
    const page = await site.browser.open('/library?collection=pasted', { apiKey })
    await expectVisible(page.getByText('Nothing matches'))
    await page.evaluate(`{
      const clipboardData = new DataTransfer()
      clipboardData.items.add(new File(['What was pasted.'], 'pasted.txt', { type: 'text/plain' }))
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    }`)
    await expectVisible(page.getByText('1 of 1 files stored'))
    await expectVisible(page.getByRole('link', { name: /pasted.txt/ }).first())
  })

  test('a secret in the wrong field is named', async () => {
    const page = await site.browser.open('')
    await page.getByLabel('API key').fill(site.server.operatorToken)
    await page.keyboard.press('Enter')
    await expectVisible(page.getByText('This is an operator token'))
    await page.getByRole('button', { name: 'Sign in as the operator' }).click()
    await page.getByLabel('Operator token').fill(account.apiKey)
    await page.keyboard.press('Enter')
    await expectVisible(page.getByText('This is an API key'))
  })
})
