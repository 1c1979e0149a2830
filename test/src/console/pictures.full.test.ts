import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { describeWithTool } from '../tools.ts'
import { expectVisible, useConsole } from './browser.ts'

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
  const site = useConsole(chromium)
  beforeAll(async () => {
    for (const [collection_id, paths] of Object.entries(STORED))
      for (const path of paths) await site.client.uploadMedia({ file: ROOT + path, collection_id })
  })

  // `npm run screenshots` writes them; without it this shows that they still can be taken.
  test.each(TAKEN)('$name', async ({ name, path, colorScheme, before }) => {
    const page = await site.browser.open(path, {
      apiKey: site.apiKey,
      viewport: { width: 1280, height: 800 },
      ...(colorScheme && { colorScheme }),
    })
    await before(page)
    const picture = await page.screenshot({
      animations: 'disabled',
      ...(process.env['MEDIALOG_WRITE_SCREENSHOTS'] && { path: `${PICTURES}/console-${name}.png` }),
    })
    expect(picture.length).toBeGreaterThan(20_000)
  })
})
