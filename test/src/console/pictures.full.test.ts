import { fileURLToPath } from 'node:url'
import { createClient } from '@medialog/client'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, temporaryDataFolder, type RunningServer } from '../harness/server.ts'
import { describeWithTool } from '../tools.ts'
import { expectVisible, openBrowser, type ConsoleBrowser } from './browser.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const PICTURES = `${ROOT}docs/images`
const STORED = {
  documents: [
    'README.md',
    'docs/architecture.md',
    'docs/search.md',
    'docs/audit.md',
    'docs/webhooks.md',
    'test/fixtures/demo/galloping-gertie.txt',
    'test/fixtures/demo/whales-asleep.md',
    'test/fixtures/demo/kimchi.txt',
    'test/fixtures/documents/sample.pdf',
    'test/fixtures/spreadsheet/sample.xlsx',
  ],
  media: [
    'test/fixtures/images/sample.jpg',
    'test/fixtures/images/screenshot.png',
    'test/fixtures/images/letter_scan.jpg',
    'test/fixtures/audio/sample.mp3',
    'test/fixtures/video/sample.mp4',
    'test/fixtures/3d/sample.glb',
  ],
}

/** Each picture of the docs: where it is taken, and what is done before. */
const TAKEN: { name: string; path: string; colorScheme?: 'dark'; before: (page: Page) => Promise<void> }[] = [
  { name: 'library', path: '/library', before: (page) => expectVisible(page.getByText('16 items')) },
  {
    name: 'search',
    path: '/search?q=what+survives+a+crash',
    before: async (page) => {
      await page.locator('.score summary').first().click()
      await expectVisible(page.locator('.score table').first())
    },
  },
  {
    name: 'life',
    path: '/library',
    before: async (page) => {
      await page.getByRole('link', { name: /galloping-gertie/ }).click()
      await page.getByRole('link', { name: 'Life' }).click()
      await expectVisible(page.getByText('Cost so far'))
    },
  },
  {
    name: 'proof',
    path: '/billing/replay',
    colorScheme: 'dark',
    before: async (page) => {
      await page.getByRole('button', { name: 'Replay the ledger' }).click()
      await expectVisible(page.getByText('Every line holds: the bill is proven.'))
    },
  },
]

describeWithTool('chromium', 'pictures of the console', (chromium) => {
  let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
  let server: RunningServer
  let browser: ConsoleBrowser
  beforeAll(async () => {
    folder = await temporaryDataFolder()
    server = await startServer({ dataFolder: folder.path })
    browser = await openBrowser(chromium, server.url)
    const client = createClient({ url: server.url, apiKey: server.apiKey! })
    for (const [collection_id, paths] of Object.entries(STORED))
      for (const path of paths) await client.uploadMedia({ file: ROOT + path, collection_id })
    client.close()
  })
  afterAll(async () => {
    await browser[Symbol.asyncDispose]()
    await server.stop()
    await folder.remove()
  })

  // `npm run screenshots` writes them; without it this shows that they still can be taken.
  test.each(TAKEN)('$name', async ({ name, path, colorScheme, before }) => {
    const page = await browser.open(path, {
      apiKey: server.apiKey!,
      viewport: { width: 1280, height: 800 },
      ...(colorScheme && { colorScheme }),
    })
    await before(page)
    const picture = await page.screenshot({
      animations: 'disabled',
      ...(process.env['MEDIALOG_WRITE_SCREENSHOTS'] && { path: `${PICTURES}/console-${name}.png` }),
    })
    expect(picture.length).toBeGreaterThan(20_000)
    browser.expectNoComplaints()
  })
})
