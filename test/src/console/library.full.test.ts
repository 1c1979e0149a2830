import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createClient } from '@medialog/client'
import { beforeAll, describe, expect, test } from 'vitest'
import { openAccount } from '../harness/accounts.ts'
import { describeWithTool } from '../tools.ts'
import {
  expectAccessible,
  expectToFit,
  expectVisible,
  NARROW,
  useConsole,
  startAgain,
  SOON,
} from './browser.ts'

const FIXTURES = fileURLToPath(new URL('../../fixtures/', import.meta.url))
const READ = ['images/sample.png', 'documents/sample.pdf', 'demo/galloping-gertie.txt', 'audio/sample.mp3']

describeWithTool('chromium', 'the library in a browser', (chromium) => {
  const site = useConsole(chromium)
  beforeAll(async () => {
    for (const path of READ)
      await site.client.uploadMedia({ file: FIXTURES + path, collection_id: 'samples' })
  })
  const signedIn = () => ({ apiKey: site.apiKey })

  describe('signing in', () => {
    test('takes a key, keeps it in the tab, and forgets it when one leaves', async () => {
      const page = await site.browser.open('')
      await expectAccessible(page)
      await page.getByLabel('API key').fill('mlk_nobody_000')
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await expectVisible(page.getByText('The service does not know this key.'))
      await page.getByLabel('API key').fill(site.apiKey)
      await page.keyboard.press('Enter')
      await expectVisible(page.getByRole('heading', { name: 'Library' }))
      const stored = await page.evaluate(
        `[sessionStorage, localStorage].map((storage) => storage.getItem('medialog.api-key'))`,
      )
      expect(stored).toEqual([site.apiKey, null])
      await page.getByRole('link', { name: 'Billing' }).click()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await expectVisible(page.getByLabel('API key'))
      expect(new URL(page.url()).pathname).toMatch(/^\/console\/?$/)
      expect(await page.evaluate('Object.keys(sessionStorage)')).toEqual(['medialog.signed-out'])
    })

    test('stays on the device where one asks for it', async () => {
      const page = await site.browser.open('')
      await page.getByLabel('API key').fill(site.apiKey)
      await page.getByLabel('Stay signed in').check()
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await expectVisible(page.getByRole('heading', { name: 'Library' }))
      const other = await page.context().newPage()
      await other.goto(`${site.server.url}/`)
      await expectVisible(other.getByRole('heading', { name: 'Library' }))
    })

    test('ends with a message where the key is revoked', async () => {
      const { accountId, keyId, apiKey } = await openAccount(site.operator, { name: 'Revoked' })
      const page = await site.browser.open('/library', { apiKey })
      await expectVisible(page.getByText('Nothing is stored yet'))
      await site.operator.request('DELETE', `/admin/accounts/${accountId}/keys/${keyId}`)
      await expectVisible(page.getByText('The key is no longer valid.'))
      expect(await page.evaluate(`sessionStorage.getItem('medialog.api-key')`)).toBe(null)
    })

    test('ends also where something was to be changed with a revoked key', async () => {
      const { accountId, keyId, apiKey } = await openAccount(site.operator, { name: 'Revoked' })
      const page = await site.browser.open('/live/webhooks', { apiKey })
      await page.getByRole('button', { name: 'Add a webhook' }).click()
      await page.getByLabel('Address').fill('https://example.com/hook')
      await site.operator.request('DELETE', `/admin/accounts/${accountId}/keys/${keyId}`)
      await page.keyboard.press('Enter')
      await expectVisible(page.getByText('The key is no longer valid.'))
    })
  })

  test('lists, filters, and goes back and forth by addresses', async () => {
    const page = await site.browser.open('/library', signedIn())
    await expectVisible(page.getByText('4 items'))
    const types = page.getByRole('navigation', { name: 'Types' }).getByRole('link')
    expect(await types.allInnerTexts()).toEqual(['All types', 'Document\n2', 'Image\n1', 'Audio\n1'])
    await types.filter({ hasText: 'Image' }).click()
    await expectVisible(page.getByText('1 item', { exact: true }))
    expect(new URL(page.url()).search).toBe('?type=image')
    // Each facet counts within what is chosen of the other.
    await expectVisible(page.getByRole('link', { name: 'samples 1' }))
    await page.goBack()
    await expectVisible(page.getByText('4 items'))
    await page.getByRole('navigation', { name: 'Collections' }).getByRole('link', { name: 'samples' }).click()
    await page.getByTitle('Grid').click()
    expect(new URL(page.url()).search).toBe('?collection=samples&view=grid')
    await expectAccessible(page)
    await page.getByRole('link', { name: 'galloping-gertie.txt' }).click()
    await expectVisible(page.getByRole('heading', { name: 'galloping-gertie.txt' }))
  })

  test('takes any name of a collection for one, and shows a way back where a view fails', async () => {
    const page = await site.browser.open('/library?collection=__proto__', signedIn())
    await expectVisible(page.getByRole('navigation', { name: 'Collections' }))
    await page.route('**/v1/media?*', (route) => route.fulfill({ json: { success: true, data: {} } }))
    await page.goto(page.url().replace('__proto__', 'constructor'))
    await expectVisible(page.getByRole('heading', { name: 'This view could not be shown' }))
    await expectAccessible(page)
    expect(site.browser.takeComplaints().join()).toContain('TypeError')
    await page.unroute('**/v1/media?*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await expectVisible(page.getByRole('navigation', { name: 'Collections' }))
  })

  test('shows an item: what is in it, its text, and its life with what it cost', async () => {
    const page = await site.browser.open('/library', signedIn())
    await page.getByRole('link', { name: 'galloping-gertie.txt' }).click()
    await expectVisible(page.getByRole('heading', { name: 'Summary' }))
    await expectVisible(page.getByRole('heading', { name: 'Facts' }))
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Text', exact: true }).click()
    const text = readFileSync(`${FIXTURES}demo/galloping-gertie.txt`, 'utf8')
    await expectVisible(page.getByText(text.slice(0, 60)).first())
    await page.getByRole('link', { name: 'Life' }).click()
    await expectVisible(page.getByText('Understood and stored'))
    await expectVisible(page.getByText('Cost so far'))
    expect(await page.locator('.total').innerText()).toContain('$0.04')
    await expectAccessible(page)
    // A deep link is the same page.
    await page.reload()
    await expectVisible(page.getByText('Cost so far'))
  })

  test('moves an item, then deletes it and shows the receipt', async () => {
    const { media_id } = await site.client.uploadMedia({
      file: { name: 'gone.txt', content: new TextEncoder().encode('Soon gone.') },
    })
    const page = await site.browser.open(`/library/${media_id}`, signedIn())
    await page.getByRole('button', { name: 'Move' }).click()
    await page.getByRole('dialog').getByLabel('Collection').fill('not a name')
    await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click()
    await expectVisible(page.getByRole('alert').filter({ hasText: 'collection' }))
    await page.getByRole('dialog').getByLabel('Collection').fill('moved')
    await page.keyboard.press('Enter')
    await expectVisible(page.getByRole('link', { name: 'moved' }))
    await page.getByRole('button', { name: 'Delete' }).click()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Delete and erase' }).click()
    await expectVisible(page.getByText('Deleted and erased'))
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download the receipt' }).click()
    const receipt = JSON.parse(readFileSync(await (await saving).path(), 'utf8'))
    expect(receipt.receipt.items.map((item: { media_id: string }) => item.media_id)).toEqual([media_id])
    expect(receipt.note).toContain(receipt.receipt.digest)
    await page.getByRole('button', { name: 'Back to the library' }).click()
    await expectVisible(page.getByText('4 items'))
  })

  test('several items are chosen, dragged to a collection, and deleted with one receipt', async () => {
    const own = await openAccount(site.operator, { name: 'Many', credit: 2 })
    const many = createClient({ url: site.server.url, apiKey: own.apiKey })
    const file = Array.from({ length: 25 }, (_, number) => ({
      name: `note-${number}.txt`,
      content: new TextEncoder().encode(`Note ${number} of many.`),
    }))
    await many.followBatch((await many.createBatch({ file })).batch_id)
    await many.moveItems({ collection_id: 'chosen', items: [(await many.listMedia()).items[0]!.media_id] })
    const page = await site.browser.open('/library', { apiKey: own.apiKey })
    const boxes = page.getByRole('checkbox', { name: /^Choose note-/ })
    for (const place of [1, 2]) await boxes.nth(place).check()
    await expectVisible(page.getByText('2 chosen'))
    await expectAccessible(page)
    const collections = page.getByRole('navigation', { name: 'Collections' })
    await page
      .locator('.items a')
      .nth(1)
      .dragTo(collections.getByRole('link', { name: /chosen/ }))
    await expectVisible(collections.getByRole('link', { name: 'chosen 3' }))
    expect(await page.getByText('2 chosen').count()).toBe(0)
    // Where one was is where one comes back to.
    await page.evaluate('scrollTo(0, 400)')
    await expect.poll(() => page.evaluate('scrollY'), SOON).toBeGreaterThan(100)
    const place = await page.evaluate('scrollY')
    await page.locator('.items a').nth(12).click()
    await expectVisible(page.getByRole('heading', { name: /note-/ }))
    expect(await page.evaluate('scrollY')).toBe(0)
    await page.goBack()
    await expect.poll(() => page.evaluate('scrollY'), SOON).toBe(place)
    for (const place of [3, 4, 5]) await boxes.nth(place).check()
    await page.getByRole('region', { name: 'Chosen items' }).getByRole('button', { name: 'Delete' }).click()
    await expectVisible(page.getByRole('heading', { name: 'Delete 3 items?' }))
    await page.getByRole('button', { name: 'Delete and erase' }).click()
    await page.getByRole('button', { name: 'Back to the library' }).click()
    await expectVisible(page.getByText('22 items'))
    many.close()
  })

  test('another account’s item, and one that never was, are not found', async () => {
    const { media_id } = (await site.client.listMedia({ page_size: 1 })).items[0]!
    const { apiKey } = await openAccount(site.operator, { name: 'Another' })
    const page = await site.browser.open(`/library/${media_id}/life`, { apiKey })
    await expectVisible(page.getByRole('heading', { name: 'Not found' }))
    await expectAccessible(page)
    await page.goto(`${site.server.url}/console/nowhere`)
    await expectVisible(page.getByRole('heading', { name: 'There is no such page' }))
  })

  test('a read-only key sees which capability it lacks', async () => {
    const { media_id } = (await site.client.listMedia({ page_size: 1 })).items[0]!
    const { account_info } = await site.client.readUsage()
    const issued = await site.operator.request('POST', `/admin/accounts/${account_info.user_id}/keys`, {
      json: { capabilities: ['read'] },
    })
    const page = await site.browser.open(`/library/${media_id}`, { apiKey: issued.body.data.api_key })
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete and erase' }).click()
    await expectVisible(page.getByRole('alert').filter({ hasText: 'delete' }))
    await page.keyboard.press('Escape')
    await expectVisible(page.getByRole('heading', { name: 'Summary' }))
  })

  test('markup, marks that turn text around and words without an end stay what they are', async () => {
    const { apiKey } = await openAccount(site.operator, { name: 'Hostile', credit: 1 })
    const own = createClient({ url: site.server.url, apiKey })
    const name = '<img src=x onerror=alert(1)>\u202Egpj.exe.txt'
    const text = `<script>alert(1)</script> ${'x'.repeat(10_000)} \u202Ereversed`
    const { media_id } = await own.uploadMedia({ file: { name, content: new TextEncoder().encode(text) } })
    own.close()
    for (const viewport of [undefined, NARROW])
      for (const path of [
        '/library',
        '/library?view=grid',
        `/library/${media_id}`,
        `/library/${media_id}/text`,
      ]) {
        const page = await site.browser.open(path, { apiKey, ...(viewport && { viewport }) })
        await expectVisible(page.getByText('<img src=x').first())
        await expectToFit(page)
        expect(await page.locator('#content img, #content script').count()).toBe(0)
      }
  })

  test('is used by the keyboard alone', async () => {
    const page = await site.browser.open('/library', signedIn())
    await expectVisible(page.getByText('4 items'))
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.id')).toBe('content')
    const tabTo = async (name: string): Promise<void> => {
      for (let step = 0; step < 30; step++) {
        await page.keyboard.press('Tab')
        if (await page.evaluate(`document.activeElement.textContent.includes(${JSON.stringify(name)})`))
          return
      }
      throw new Error(`No way to ${name}`)
    }
    await tabTo('sample.png')
    await page.keyboard.press('Enter')
    await expectVisible(page.getByRole('heading', { name: 'sample.png' }))
    await tabTo('Delete')
    await page.keyboard.press('Enter')
    await expectVisible(page.getByRole('dialog'))
    await page.keyboard.press('Escape')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Delete')
  })

  test('says that the service does not answer, and goes on when it is there again', async () => {
    const page = await site.browser.open('/library', signedIn())
    await expectVisible(page.getByText('4 items'))
    await site.server.kill()
    await page.getByRole('link', { name: 'Document 2' }).click()
    await expectVisible(page.getByText('The service does not answer.'))
    await startAgain(site)
    await expectVisible(page.getByText('2 items'))
    await page.getByText('The service does not answer.').waitFor({ state: 'detached' })
  })
})
