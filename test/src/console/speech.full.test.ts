import { fileURLToPath } from 'node:url'
import { longRecording } from '@medialog/understanding/testing/long-recording'
import { beforeAll, expect, test } from 'vitest'
import { describeWithTool } from '../tools.ts'
import { choose, expectAccessible, expectToFit, expectVisible, NARROW, useConsole } from './browser.ts'

const RECORDING = fileURLToPath(new URL('../../fixtures/audio/speech.ogg', import.meta.url))

describeWithTool('chromium', 'what is said, in a browser', (chromium) => {
  const site = useConsole(chromium)
  let id: string
  beforeAll(async () => {
    id = (await site.client.uploadMedia({ file: RECORDING, collection_id: 'spoken' })).media_id
  })
  const signedIn = () => ({ apiKey: site.apiKey })

  test('stands sentence by sentence with its times, and no other time', async () => {
    const page = await site.browser.open(`/library/${id}/text?chunk=1`, signedIn())
    const sentences = page.locator('.segment')
    await expectVisible(sentences.first())
    expect(await sentences.allTextContents()).toEqual([
      expect.stringMatching(/^0:00And Mr\. John Dashwood/),
      expect.stringMatching(/^0:07He was not an ill-disposed young man/),
      expect.stringMatching(/^0:1[78]He might even have been made amiable himself\.$/),
    ])
    expect(await page.locator('.segment mark').count()).toBe(3)
    await expectVisible(page.getByText('whisper-base'))
    await expectAccessible(page)
    const narrow = await site.browser.open(`/library/${id}/text`, { ...signedIn(), viewport: NARROW })
    await expectVisible(narrow.locator('.segment').first())
    await expectToFit(narrow)
  })

  test('is found with the time at which it is said', async () => {
    const page = await site.browser.open('/search?q=leisure+to+consider', signedIn())
    await expectVisible(page.locator('.passage').getByText('at 0:00'))
  })

  test('shows, as long as it takes, how far a recording of a batch is', async () => {
    const page = await site.browser.open('/library', signedIn())
    // With one more than ten files the console makes a batch.
    const notes = Array.from({ length: 10 }, (_, number) => ({
      name: `note-${number}.txt`,
      mimeType: 'text/plain',
      buffer: Buffer.from(`Note ${number} beside a talk.`),
    }))
    const talk = { name: 'talk.wav', mimeType: 'audio/wav', buffer: Buffer.from(await longRecording(8)) }
    await choose(page, 'Upload files', [...notes, talk])
    const tray = page.getByRole('region', { name: 'Uploads' })
    await expectVisible(tray.getByText(/^Being understood, [1-9]0 %/))
    await tray.getByRole('link', { name: 'Batch' }).first().click()
    await expectVisible(page.getByText(/^Processing [1-9]0 %$/))
    await expectAccessible(page)
    await expectVisible(tray.getByText('11 of 11 files stored'))
    await expectVisible(page.locator('.rows').getByRole('link', { name: 'talk.wav' }))
    expect(await page.getByText(/^Processing|^Being understood/).count()).toBe(0)
  })
})
