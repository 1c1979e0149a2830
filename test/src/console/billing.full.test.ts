import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { describeWithTool } from '../tools.ts'
import { expectAccessible, expectVisible, useConsole } from './browser.ts'

const DEMO = fileURLToPath(new URL('../../fixtures/demo/', import.meta.url))

describeWithTool('chromium', 'asking and paying in a browser', (chromium) => {
  const site = useConsole(chromium)
  beforeAll(async () => {
    for (const name of ['galloping-gertie.txt', 'whales-asleep.md'])
      await site.client.uploadMedia({ file: DEMO + name })
    // One file of it fails: it is paid back.
    const { batch_id } = await site.client.createBatch({
      file: [
        { name: 'good.txt', content: new TextEncoder().encode('A good file.') },
        { name: 'bad.png', content: new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10, 0]) },
      ],
      batch_options: { batch_name: 'Good and bad' },
    })
    await site.client.followBatch(batch_id)
  })
  const open = (path: string) => site.browser.open(path, { apiKey: site.server.apiKey! })
  const balance = async (): Promise<number> => (await site.client.readUsage()).account_info.balance

  test('answers a question for its price, with quotes that lead to their passages', async () => {
    const before = await balance()
    const page = await open('/ask')
    await page.getByLabel('Question').fill('Why did the bridge fall?')
    await expectVisible(page.getByRole('button', { name: 'Ask for $0.01' }))
    await page.keyboard.press('Enter')
    await expectVisible(page.getByText('Nothing is concluded or added'))
    expect(Math.round((before - (await balance())) * 100)).toBe(1)
    await expectAccessible(page)
    await page.locator('.citation').first().click()
    await page.locator('.sources a').first().click()
    await expectVisible(page.locator('.text mark'))
  })

  test('asks one item alone, and keeps what a question says as it is', async () => {
    const page = await open('/library')
    await page.getByRole('link', { name: 'whales-asleep.md' }).click()
    await page.locator('.item-head').getByRole('link', { name: 'Ask' }).click()
    await expectVisible(page.getByText('Answered from one item alone:'))
    await page.getByLabel('Question').fill('<img src=x onerror=alert(1)> How do whales sleep?')
    await page.getByRole('button', { name: 'Ask for $0.01' }).click()
    await expectVisible(page.getByRole('heading', { name: '<img src=x' }))
    await expectVisible(page.locator('.answer .soft.small').last())
    expect(await page.locator('#content img').count()).toBe(0)
  })

  test('plots the balance and the costs, and shows the balance at any moment', async () => {
    const page = await open('/billing')
    await expectVisible(page.locator('.chart canvas').nth(1))
    expect(await page.locator('.big-number').innerText()).toBe(`$${(await balance()).toFixed(2)}`)
    const plotted = page.getByRole('img', {
      name: `Balance over time, from $10.00 to $${(await balance()).toFixed(2)}`,
    })
    await expectVisible(plotted)
    await page.getByRole('slider', { name: 'As it was then' }).press('Home')
    await expectVisible(page.locator('.as-of .figures').getByText('$10.00'))
    const total = page.locator('.what-if tfoot strong')
    const now = Number((await total.innerText()).slice(1))
    await page.getByLabel('Other price of Documents').fill('0.06')
    expect(Number((await total.innerText()).slice(1))).toBeCloseTo(now + 3 * 0.03, 9)
    await expectAccessible(page)
  })

  test('lists postings with their causes, and what a request did', async () => {
    const page = await open('/billing/ledger')
    await expectVisible(page.getByText('Refund', { exact: true }))
    expect(await page.locator('.ledger tbody tr').count()).toBeGreaterThan(4)
    await expectAccessible(page)
    await page
      .locator('tr', { hasText: 'galloping-gertie.txt' })
      .getByRole('link', { name: 'request' })
      .click()
    await expectVisible(page.getByText('Understood and stored'))
    await expectAccessible(page)
    await page.goBack()
    await page.getByLabel('Month').fill('2020-01')
    await expectVisible(page.getByText('Nothing was posted'))
  })

  test('replays the ledger until every line of the proof has ticked, and adds it up itself', async () => {
    const page = await open('/billing/replay')
    await page.getByRole('button', { name: 'Replay the ledger' }).click()
    await expectVisible(page.getByText('Every line holds: the bill is proven.'))
    expect(await page.locator('.proof li.holds').count()).toBe(8)
    await expectVisible(page.getByText('Added up in this browser'))
    expect(await page.locator('.figures').innerText()).toContain(`$${(await balance()).toFixed(2)}`)
    await expectAccessible(page)
  })

  test('has a month’s statement to read, and as a file', async () => {
    const page = await open('/billing/statement')
    await expectVisible(page.getByRole('heading', { name: /^Statement of \d{4}-\d{2}$/ }))
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'CSV' }).click()
    const saved = readFileSync(await (await saving).path(), 'utf8')
    expect(saved).toContain('charge')
    expect(saved).toContain('refund')
    await expectAccessible(page)
  })

  test('checks the ledger without the service’s word, and that it continues what was kept', async () => {
    const page = await open('/billing/replay')
    const check = page.getByRole('button', { name: 'Download and check' })
    await check.click()
    await expectVisible(page.getByText('Proven: every event is there'))
    await expectAccessible(page)
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Keep this proof' }).click()
    const kept = await (await downloading).path()
    const { key } = await site.client.readCheckpointKey()
    await site.client.uploadMedia({
      file: { name: 'later.txt', content: new TextEncoder().encode('Posted later.') },
    })
    await page.getByLabel('Public key').fill(key)
    await page.getByLabel('Kept from before').setInputFiles({
      name: 'kept.ndjson',
      mimeType: 'application/x-ndjson',
      buffer: readFileSync(kept),
    })
    await check.click()
    await expectVisible(page.getByText('which continues what was kept'))
    const changed = readFileSync(kept, 'utf8').replace('"amount":"', '"amount":"9')
    await page.getByLabel('Kept from before').setInputFiles({
      name: 'changed.ndjson',
      mimeType: 'application/x-ndjson',
      buffer: Buffer.from(changed),
    })
    await check.click()
    await expectVisible(page.getByText('Not proven: revision 0:'))
    await page.getByLabel('Public key').fill(key.replace(/\+.*\+/, '+00000000+'))
    await check.click()
    await expectVisible(page.getByText('Not proven: it names another key'))
  })
})
