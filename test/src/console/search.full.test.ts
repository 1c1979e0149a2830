import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { describeWithTool } from '../tools.ts'
import { expectAccessible, expectVisible, useConsole, SOON } from './browser.ts'

const DEMO = fileURLToPath(new URL('../../fixtures/demo/', import.meta.url))
const OWN = {
  'bridge.txt': 'Ada Lovelace wrote about the bridge over the river. The bridge was built in 1840.',
  'letter.txt': 'A letter of Ada Lovelace to Charles Babbage about the analytical engine.',
  'engine.txt': 'Charles Babbage designed the analytical engine. It was never finished.',
}

describeWithTool('chromium', 'searching in a browser', (chromium) => {
  const site = useConsole(chromium)
  beforeAll(async () => {
    for (const name of ['galloping-gertie.txt', 'whales-asleep.md', 'kimchi.txt'])
      await site.client.uploadMedia({ file: DEMO + name })
    for (const [name, text] of Object.entries(OWN))
      await site.client.uploadMedia({
        file: { name, content: new TextEncoder().encode(text) },
        collection_id: 'own',
      })
  })
  const balance = async (): Promise<number> => (await site.client.readUsage()).account_info.balance

  test('finds while one types, marks the words, and takes the score apart', async () => {
    const page = await site.browser.open('/library', { apiKey: site.server.apiKey! })
    await page.getByRole('link', { name: 'Search' }).click()
    await page.getByLabel('Search the library').pressSequentially('wind and the bridge', { delay: 20 })
    await expect.poll(() => new URL(page.url()).searchParams.get('q'), SOON).toBe('wind and the bridge')
    const first = page.locator('.result').first()
    await expectVisible(first.getByRole('link', { name: 'galloping-gertie.txt' }))
    expect(await first.locator('mark').first().innerText()).toMatch(/wind|bridge/i)
    await first.locator('summary').click()
    const rows = await first.locator('.score table tr').allInnerTexts()
    const cells = rows.map((row) => row.match(/[0-9.]+/g)!.map(Number))
    const [[words, weight, byWords], [meaning, rest, byMeaning], [score]] = cells as [
      [number, number, number],
      [number, number, number],
      [number],
    ]
    expect(weight + rest).toBe(1)
    // Each number is rounded.
    expect(Math.abs(words * weight - byWords)).toBeLessThan(1)
    expect(Math.abs(meaning * rest - byMeaning)).toBeLessThan(2)
    expect(byWords + byMeaning).toBe(score)
    await expectAccessible(page)
    // Back is the view before, not the letter before.
    await page.goBack()
    await expectVisible(page.getByRole('heading', { name: 'Library' }))
  })

  test('weighs, limits and filters as the address says', async () => {
    const page = await site.browser.open('/search?q=bridge&words=1&least=0.2', {
      apiKey: site.server.apiKey!,
    })
    await expectVisible(page.getByText(/^\d+ found/))
    const all = await page.locator('.result').count()
    expect(all).toBeGreaterThan(0)
    await page.locator('.result summary').first().click()
    expect(await page.locator('.score table').first().innerText()).toContain('× 1.00')
    await page.getByLabel('Collection', { exact: true }).selectOption('own')
    await expectVisible(page.locator('.result').getByRole('link', { name: 'bridge.txt' }))
    await page.getByLabel('Least score').press('End')
    await expectVisible(page.getByText('Nothing found'))
    await page.reload()
    await expectVisible(page.getByText('Nothing found'))
  })

  test('filters by day and by what is said in an item, and leads from a name to the items that hold it', async () => {
    const day = new Date().toLocaleDateString('sv')
    const page = await site.browser.open(`/search?q=engine&from=${day}&until=${day}`, {
      apiKey: site.server.apiKey!,
    })
    await expectVisible(page.locator('.result').getByRole('link', { name: 'letter.txt' }))
    await page.getByText('More filters: 2 set').click()
    await page.getByLabel('People').fill('nobody, ada lovelace')
    await expectVisible(page.getByText('More filters: 3 set'))
    await page.locator('.result', { hasText: 'engine.txt' }).waitFor({ state: 'detached' })
    await expectVisible(page.locator('.result').getByRole('link', { name: 'letter.txt' }))
    await expectAccessible(page)
    await page.getByLabel('Stored until').fill('2020-01-01')
    await expectVisible(page.getByText('Nothing found'))
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.locator('.result').getByRole('link', { name: 'engine.txt' }).click()
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.locator('.pairs').getByRole('link', { name: 'Charles Babbage' }).click()
    await expect.poll(() => page.locator('.result').count(), SOON).toBe(2)
  })

  test('a result leads to its passage in the item', async () => {
    const page = await site.browser.open('/search?q=never+finished+engine', { apiKey: site.server.apiKey! })
    await page.getByRole('link', { name: 'engine.txt' }).click()
    await expectVisible(page.locator('.text mark'))
    expect(await page.locator('.text mark').innerText()).toContain('It was never finished.')
    await expectAccessible(page)
  })

  test('every search can be copied as a call of the API', async () => {
    const page = await site.browser.open("/search?q=it's+a+bridge", { apiKey: site.server.apiKey! })
    await page.getByRole('button', { name: 'Copy as code' }).click()
    await page.getByText('Python').click()
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain(
      'medialog.search(\n        query="it\'s a bridge"',
    )
    await expectAccessible(page)
  })

  test('follows connections for the price it says, as a graph that keys walk', async () => {
    const page = await site.browser.open('/search?q=a+letter+to+somebody&collection=own', {
      apiKey: site.server.apiKey!,
    })
    const before = await balance()
    await page.getByRole('button', { name: 'Follow connections for $0.01 to $0.03' }).click()
    const graph = page.getByRole('group', { name: 'Graph of connected items' })
    await graph.getByRole('button', { name: 'letter.txt' }).focus()
    await page.keyboard.press('Enter')
    await expectVisible(page.locator('.chosen').getByRole('button', { name: 'engine.txt' }))
    const paid = Number(/\$(\d+\.\d+)/.exec(await page.getByText(/followed for/).innerText())![1])
    expect(Math.round((before - (await balance())) * 100)).toBe(Math.round(paid * 100))
    await page.getByRole('button', { name: 'Find similar items for $0.01' }).click()
    await expect
      .poll(async () => Math.round((before - (await balance())) * 100), SOON)
      .toBe(Math.round(paid * 100) + 1)
    await expectVisible(graph.getByRole('button', { name: 'engine.txt' }))
    await expectAccessible(page)
  })

  test('similar items come in groups, once one has agreed to the price', async () => {
    const { media_id } = (await site.client.search({ query: 'analytical engine', collections: 'own' }))
      .results[0]!
    const before = await balance()
    const page = await site.browser.open(`/similar/${media_id}`, { apiKey: site.server.apiKey! })
    await page.getByRole('button', { name: 'Find similar items for $0.01' }).click()
    await expectVisible(page.locator('.cluster h2').first())
    expect(await page.locator('.similar-row').count()).toBeGreaterThan(0)
    expect(Math.round((before - (await balance())) * 100)).toBe(1)
    await expectAccessible(page)
  })
})
