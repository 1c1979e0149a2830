import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient, type Client } from '@medialog/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openAccount } from '../harness/accounts.ts'
import { temporaryDataFolder } from '../harness/server.ts'
import { describeWithTool } from '../tools.ts'
import {
  choose,
  expectAccessible,
  expectToFit,
  expectVisible,
  NARROW,
  useConsole,
  startAgain,
  SOON,
} from './browser.ts'

const FIXTURES = fileURLToPath(new URL('../../fixtures/', import.meta.url))

describeWithTool('chromium', 'uploads in a browser', (chromium) => {
  let files: Awaited<ReturnType<typeof temporaryDataFolder>>
  const site = useConsole(chromium, { MEDIALOG_PREVIEWS: 'on' })
  beforeAll(async () => {
    files = await temporaryDataFolder()
  })
  afterAll(async () => {
    await files.remove()
  })

  /** An account of its own for a test, with a page of it at `path`. */
  async function openAs(name: string, path = '/library', viewport?: typeof NARROW) {
    const { apiKey } = await openAccount(site.operator, { name, credit: 10 })
    const page = await site.browser.open(path, { apiKey, ...(viewport && { viewport }) })
    await expectVisible(page.getByText('Nothing'))
    return { page, client: createClient({ url: site.server.url, apiKey }) }
  }
  /** A folder with so many texts, a hidden file and one of no known format. */
  function folderOf(count: number, name: string): string {
    const path = join(files.path, name)
    mkdirSync(join(path, 'inner'), { recursive: true })
    for (let number = 1; number <= count; number++)
      writeFileSync(
        join(path, number % 2 ? 'inner' : '.', `note-${number}.txt`),
        `Note ${number} of ${name}.`,
      )
    writeFileSync(join(path, '.hidden.txt'), 'hidden')
    writeFileSync(join(path, 'notes.xyz'), 'of no known format')
    return path
  }
  const balanceOf = async (client: Client): Promise<number> => (await client.readUsage()).account_info.balance

  test('files that are chosen are stored one by one, and what is known or unsupported costs nothing', async () => {
    const { page, client } = await openAs('Chosen')
    const paths = ['images/sample.png', 'documents/sample.pdf'].map((path) => FIXTURES + path)
    await choose(page, 'Upload files', paths)
    await expectVisible(page.getByText('2 of 2 files stored'))
    await choose(page, 'Upload files', [paths[0]!, join(folderOf(0, 'odd'), 'notes.xyz')])
    await expectVisible(page.getByText('Was stored already'))
    await expectVisible(page.getByText('Files of type .xyz are not supported'))
    await expectVisible(page.getByText('2 items'))
    await expectAccessible(page)
    expect(await balanceOf(client)).toBe(9.92)
    await page.getByTitle('Grid').click()
    await expectVisible(page.locator('img.preview'))
    await expectAccessible(page)
    await page.getByRole('link', { name: 'sample.pdf' }).first().click()
    await expectVisible(page.getByRole('heading', { name: 'sample.pdf' }))
    await page.getByRole('button', { name: 'Close' }).click()
    expect(await page.getByRole('region', { name: 'Uploads' }).count()).toBe(0)
  })

  test('files that are dropped go into the collection in view', async () => {
    const { page, client } = await openAs('Dropped', '/library?collection=letters', NARROW)
    const text = readFileSync(`${FIXTURES}demo/galloping-gertie.txt`, 'utf8')
    const transfer = await page.evaluateHandle(`(() => {
      const files = new DataTransfer()
      files.items.add(new File([${JSON.stringify(text)}], 'gertie.txt'))
      return files
    })()`)
    await page.dispatchEvent('body', 'dragover', { dataTransfer: transfer })
    await expectVisible(page.getByText('Drop files and folders into letters'))
    await page.dispatchEvent('body', 'drop', { dataTransfer: transfer })
    await expectVisible(page.getByText('1 of 1 files stored'))
    await expectVisible(page.getByText('1 item', { exact: true }))
    await expectToFit(page)
    expect((await client.listMedia()).items).toMatchObject([{ collection: 'letters' }])
  })

  test('a folder goes in batches, over a kill of the service in the middle, each file once', async () => {
    const { page, client } = await openAs('Folder')
    const statuses: number[] = []
    page.on('response', (response) => statuses.push(response.status()))
    await choose(page, 'Upload a folder', folderOf(60, 'many'))
    await expectVisible(page.getByText(/^[1-9]\d* of 61 files understood/))
    await site.server.kill()
    await expectVisible(page.getByText('The service does not answer.'))
    await startAgain(site)
    await page.getByText('60 of 61 files stored').waitFor({ timeout: 60_000 })
    await expectVisible(page.getByText('60 items'))
    expect(await balanceOf(client)).toBe(7.6)
    const names = new Set<string>()
    for await (const item of client.iterate('listMedia', { page_size: 100 }))
      if ('file_info' in item) names.add(item.file_info!.filename)
    expect(names.size).toBe(60)
    // The console leaves the account's rate limit to its programs.
    expect(statuses).not.toContain(429)
    expect(statuses.length).toBeLessThan(200)
    rmSync(join(files.path, 'many'), { recursive: true })
    await page.getByRole('link', { name: 'Batches' }).click()
    await expectVisible(page.locator('.state.completed').first())
    await expectAccessible(page)
    await page.locator('a.row').first().click()
    await expectVisible(page.getByText('Charged'))
    await expectAccessible(page)
  })

  test('a file that was changed while it waited fails with a message of its own', async () => {
    const { page } = await openAs('Changed')
    const paths = ['first', 'second', 'third'].map((name) => join(files.path, `${name}.txt`))
    for (const path of paths) writeFileSync(path, `What ${path} says.`)
    await site.server.kill()
    await choose(page, 'Upload files', paths)
    await expect.poll(() => page.getByText('Waiting').count(), SOON).toBe(1)
    writeFileSync(paths[2]!, 'Something else and longer.')
    await startAgain(site)
    await expectVisible(page.getByText('The file was changed or removed'))
    await expectVisible(page.getByText('2 of 3 files stored'))
  })

  test('a batch is cancelled, and what was not read is paid back', async () => {
    const { page, client } = await openAs('Cancelled')
    const path = join(files.path, 'videos')
    mkdirSync(path, { recursive: true })
    const video = readFileSync(`${FIXTURES}video/sample.mp4`)
    // Each has other bytes behind its end, so that none is known.
    for (let number = 1; number <= 20; number++)
      writeFileSync(join(path, `video-${number}.mp4`), Buffer.concat([video, Buffer.from(`free${number}`)]))
    await choose(page, 'Upload a folder', path)
    await page.getByRole('region', { name: 'Uploads' }).getByRole('link', { name: 'Batch' }).first().click()
    await page.getByRole('button', { name: 'Cancel the batch' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the batch' }).click()
    await expectVisible(page.locator('.state.cancelled'))
    await expectVisible(page.getByText(/of 20 files stored/))
    const { batch_id } = (await client.listBatches()).batches[0]!
    const batch = await client.followBatch(batch_id)
    expect(batch.progress.failed).toBeGreaterThan(0)
    expect(Math.round((10 - (await balanceOf(client))) * 100)).toBe(batch.progress.successful * 4)
  })
})
