import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { describeWithTool } from '../tools.ts'
import { expectAccessible, expectVisible, submitTwice, useConsole } from './browser.ts'

const OWN = {
  'bridge.txt': 'Ada Lovelace wrote about the bridge over the river. The bridge was built in 1840.',
  'letter.txt': 'A letter of Ada Lovelace to Charles Babbage about the analytical engine.',
  'engine.txt': 'Charles Babbage designed the analytical engine. It was never finished.',
}
/** Milliseconds between two presses: of one who presses twice, of one who doubts, of one who waited. */
const DELAYS = [0, 60, 250, 500]
const QUESTIONS = [
  'Who designed the analytical engine?',
  'Who wrote about the bridge over the river?',
  'Was the engine finished?',
  'What is the letter about?',
]

describeWithTool('chromium', 'what costs money, in a browser', (chromium) => {
  const site = useConsole(chromium)
  const ids: string[] = []
  beforeAll(async () => {
    for (const [name, text] of Object.entries(OWN)) {
      const file = { name, content: new TextEncoder().encode(text) }
      ids.push((await site.client.uploadMedia({ file, collection_id: 'own' })).media_id)
    }
  })
  const cents = async (): Promise<number> =>
    Math.round((await site.client.readUsage()).account_info.balance * 100)
  const open = (path: string): Promise<Page> => site.browser.open(path, { apiKey: site.apiKey })

  /** Presses where the button is, again after each delay, whatever is there by then. */
  async function pressAgain(page: Page, button: Locator, delay: number): Promise<void> {
    const { x, y, width, height } = (await button.boundingBox())!
    for (let press = 0; press < 3; press++) {
      await page.mouse.click(x + width / 2, y + height / 2)
      await page.waitForTimeout(delay)
    }
  }

  /** What `work` cost, in cents, once nothing is under way any more. */
  async function costOf(work: () => Promise<void>): Promise<number> {
    const before = await cents()
    await work()
    return before - (await cents())
  }

  /** How many searches with connections were charged since the test before. */
  let known = 0
  async function searchesPaid(): Promise<number> {
    const { postings } = await site.client.readLedger({ page_size: 200 })
    const charges = postings.filter(({ lines }) => lines.some(({ price }) => price === 'ADVANCED_SEARCH'))
    const count = charges.filter(({ kind }) => kind === 'charge').length - known
    known += count
    return count
  }

  test.each(DELAYS)('pressed again after %i ms, a request is sent and charged once', async (delay) => {
    const similar = await open(`/similar/${ids[0]}`)
    const find = similar.getByRole('button', { name: 'Find similar items for $0.01' })
    await find.waitFor()
    expect(
      await costOf(async () => {
        await pressAgain(similar, find, delay)
        await expectVisible(similar.locator('.similar-row').first())
      }),
    ).toBe(1)
    const search = await open('/search?q=letter&collection=own')
    await search.getByLabel('Levels').selectOption('1')
    const follow = search.getByRole('button', { name: 'Follow connections for $0.01 to $0.02' })
    expect(
      await costOf(async () => {
        await pressAgain(search, follow, delay)
        await expectVisible(search.getByText(/followed for/))
        await search.getByRole('group', { name: 'Graph of connected items' }).waitFor()
      }),
    ).toBeLessThanOrEqual(2)
    expect(await searchesPaid()).toBe(1)
    // A key that is held down presses again and again.
    const ask = await open('/ask')
    expect(
      await costOf(async () => {
        await ask.getByLabel('Question').fill(QUESTIONS[DELAYS.indexOf(delay)]!)
        for (let press = 0; press < 3; press++) {
          await ask.keyboard.down('Enter')
          await ask.waitForTimeout(delay)
        }
        await expectVisible(ask.locator('.sources').first())
      }),
    ).toBe(1)
    expect(await ask.locator('.answer').count()).toBe(1)
  })

  test('a question that is submitted twice by script is asked once', async () => {
    const page = await open('/ask')
    expect(
      await costOf(async () => {
        await page.getByLabel('Question').fill('What was built in 1840?')
        await submitTwice(page, 'form')
        await expectVisible(page.locator('.sources').first())
      }),
    ).toBe(1)
  })

  test('an answer is paid for once more only after a question', async () => {
    const page = await open(`/similar/${ids[2]}`)
    expect(
      await costOf(async () => {
        await page.getByRole('button', { name: 'Find similar items for $0.01' }).click()
        const again = page.getByRole('button', { name: 'Find again for $0.01' })
        await again.click()
        const dialog = page.getByRole('dialog')
        await dialog.waitFor()
        await expectAccessible(page)
        await page.keyboard.press('Enter')
        await dialog.waitFor({ state: 'detached' })
        await again.dblclick()
        await dialog.getByRole('button', { name: 'Find again for $0.01' }).dblclick()
        await dialog.waitFor({ state: 'detached' })
        await expectVisible(page.locator('.similar-row').first())
      }),
    ).toBe(2)
  })

  test('paid answers stay while one looks elsewhere, and after a reload, at no further cost', async () => {
    const page = await open('/ask')
    const answer = page.locator('.answer', { hasText: 'What was never finished?' })
    await page.getByLabel('Question').fill('What was never finished?')
    await page.keyboard.press('Enter')
    await answer.locator('.sources a').first().click()
    await page.locator('.text').waitFor()
    await page.goBack()
    await expectVisible(answer.locator('.sources'))
    await page.goto(`${site.server.url}/console/similar/${ids[1]}`)
    await page.getByRole('button', { name: 'Find similar items for $0.01' }).click()
    await page.locator('.similar-row').first().click()
    await page.locator('.item-head').waitFor()
    await page.goBack()
    await expectVisible(page.locator('.similar-row').first())
    await page.goto(`${site.server.url}/console/search?q=engine&collection=own`)
    await page.getByRole('button', { name: 'Follow connections' }).click()
    const graph = page.getByRole('group', { name: 'Graph of connected items' })
    await graph.waitFor()
    await page.getByRole('link', { name: 'Library', exact: true }).click()
    await page.getByRole('heading', { name: 'Library' }).waitFor()
    await page.goBack()
    await expectVisible(graph)
    expect(
      await costOf(async () => {
        await page.reload()
        await expectVisible(graph)
        await page.goto(`${site.server.url}/console/similar/${ids[1]}`)
        await expectVisible(page.locator('.similar-row').first())
        await expectAccessible(page)
        await page.goto(`${site.server.url}/console/ask`)
        await expectVisible(answer.locator('.sources'))
        await expectAccessible(page)
      }),
    ).toBe(0)
    // Who signs in next may be somebody else.
    await page.getByRole('button', { name: 'Sign out' }).click()
    expect(await page.evaluate('Object.keys(sessionStorage)')).toEqual(['medialog.signed-out'])
  })

  test('an answer that is stopped is shown at no further cost', async () => {
    const page = await open('/ask')
    expect(
      await costOf(async () => {
        let isHeld = true
        await page.route('**/v1/ai/query', async (route) => {
          const response = await route.fetch()
          while (isHeld) await page.waitForTimeout(50)
          // The page does not wait for this one any more.
          await route.fulfill({ response }).catch(() => {})
        })
        await page.getByLabel('Question').fill('Who wrote about the bridge?')
        await page.keyboard.press('Enter')
        // The answer goes on while one looks elsewhere.
        await page.getByRole('link', { name: 'Search' }).click()
        await page.goBack()
        await page.getByRole('button', { name: 'Stop' }).click()
        await expectVisible(page.getByText('at no further cost'))
        await expectAccessible(page)
        isHeld = false
        await page.getByRole('button', { name: 'Try again' }).click()
        await expectVisible(page.locator('.answer .sources'))
      }),
    ).toBe(1)
  })

  test('without the part that shows a graph, nothing is paid for it', async () => {
    const page = await open('/search?q=bridge&collection=own')
    await page.route('**/assets/graph-view*', (route) => route.abort())
    const follow = page.getByRole('button', { name: 'Follow connections' })
    expect(
      await costOf(async () => {
        await follow.click()
        await expectVisible(page.getByText('Nothing was sent or charged'))
      }),
    ).toBe(0)
    await page.unroute('**/assets/graph-view*')
    await follow.click()
    await expectVisible(page.getByRole('group', { name: 'Graph of connected items' }))
  })
})
