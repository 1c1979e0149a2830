import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createClient, type Client } from '@medialog/client'
import axe, { type AxeResults } from 'axe-core'
import {
  chromium,
  type Browser,
  type BrowserContext,
  type FileChooser,
  type Locator,
  type Page,
} from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest'
import { asOperator } from '../harness/client.ts'
import { startServer, temporaryDataFolder, type RunningServer } from '../harness/server.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** Where somebody sits: a desk, or a phone. */
export const WIDE = { width: 1440, height: 900 }
export const NARROW = { width: 390, height: 844 }

export interface Seat {
  apiKey?: string
  operatorToken?: string
  viewport?: typeof WIDE
  colorScheme?: 'light' | 'dark'
}

/** A browser on the console of the service at `url`. */
export interface ConsoleBrowser extends AsyncDisposable {
  /** A tab of its own, signed in, at the path below `/console`. */
  open(path: string, seat?: Seat): Promise<Page>
  /** Closes all pages: each reads again and again while it is open. */
  leave(): Promise<void>
  /** Whether no page threw, or broke its policy, since this was last asked. */
  expectNoComplaints(): void
  /** What pages threw since then, where a test makes them. */
  takeComplaints(): string[]
}

/** Builds the console where it is not of these sources. */
export function buildConsole(): void {
  execFileSync(process.execPath, ['packages/console/build.ts', '--when-stale'], { cwd: ROOT })
}

export async function openBrowser(executablePath: string, url: string): Promise<ConsoleBrowser> {
  buildConsole()
  const browser: Browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  const complaints: string[] = []
  const contexts: BrowserContext[] = []
  return {
    async leave() {
      await Promise.all(contexts.splice(0).map((context) => context.close()))
    },
    takeComplaints: () => complaints.splice(0),
    expectNoComplaints() {
      expect(complaints.splice(0)).toEqual([])
    },
    async open(path, { apiKey, operatorToken, viewport = WIDE, colorScheme = 'light' } = {}) {
      const context = await browser.newContext({ viewport, colorScheme, locale: 'en-US', timezoneId: 'UTC' })
      contexts.push(context)
      context.setDefaultTimeout(60_000)
      await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url })
      await context.addInitScript(
        (secrets) => {
          for (const [name, secret] of secrets) sessionStorage.setItem(name, secret)
        },
        [
          ...(apiKey === undefined ? [] : [['medialog.api-key', apiKey] as const]),
          ...(operatorToken === undefined ? [] : [['medialog.operator-token', operatorToken] as const]),
        ],
      )
      const page = await context.newPage()
      page.on('pageerror', (error) => complaints.push(error.message))
      page.on('console', (message) => {
        // Chromium says of every refusal that it was one.
        const isAnswer = message.text().startsWith('Failed to load resource')
        if ((message.type() === 'error' || message.type() === 'warning') && !isAnswer)
          complaints.push(message.text())
      })
      await page.goto(`${url}/console${path}`)
      return page
    },
    async [Symbol.asyncDispose]() {
      await browser.close()
    },
  }
}

/** A service of its own with a browser on its console, and clients of it. */
export interface Site {
  dataFolder: string
  /** Another one once a test has started it again. */
  server: RunningServer
  /** Of the account that is there at the first start. */
  apiKey: string
  client: Client
  operator: ReturnType<typeof asOperator>
  browser: ConsoleBrowser
}

/** Opens a site before the tests of a suite, and looks after each whether a page complained. */
export function useConsole(chromium: string, env: Record<string, string> = {}): Site {
  // Pages are opened and looked at one after the other, on a machine that may be busy.
  vi.setConfig({ testTimeout: 300_000 })
  const site = {} as Site
  let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
  beforeAll(async () => {
    folder = await temporaryDataFolder()
    const server = await startServer({ dataFolder: folder.path, env })
    const apiKey = server.apiKey!
    Object.assign(site, {
      dataFolder: folder.path,
      server,
      apiKey,
      client: createClient({ url: server.url, apiKey }),
      operator: asOperator(server.url, server.operatorToken),
      browser: await openBrowser(chromium, server.url),
    })
  })
  afterAll(async () => {
    site.client.close()
    await site.browser[Symbol.asyncDispose]()
    await site.server.stop()
    await folder.remove()
  })
  afterEach(async () => {
    await site.browser.leave()
    site.browser.expectNoComplaints()
  })
  return site
}

/** The service after a kill, at the address that it had. */
export async function startAgain(site: Site): Promise<void> {
  site.server = await startServer({
    dataFolder: site.dataFolder,
    env: { PORT: new URL(site.server.url).port },
  })
}

/** Submits a form twice, before the page has drawn anything in between. */
export const submitTwice = (page: Page, form: string): Promise<void> =>
  page.evaluate(`{
    const form = document.querySelector('${form}')
    form.requestSubmit()
    form.requestSubmit()
  }`)

/** Gives files to what the button asks for: their paths, or what they are. */
export async function choose(
  page: Page,
  button: string,
  files: Parameters<FileChooser['setFiles']>[0],
): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: button }).click()
  await (await chooser).setFiles(files)
}

/** Waits until it is there to be seen. */
export const expectVisible = (locator: Locator): Promise<void> => locator.waitFor()

/** How long `expect.poll` waits for what is to come. */
export const SOON = { timeout: 60_000 }

/** What axe finds wrong with the page once nothing on it is about to appear: nothing is expected. */
export async function expectAccessible(page: Page): Promise<void> {
  const found = (await page.evaluate(
    `(async () => {
      ${axe.source}
      const appearing = document.getAnimations().filter(({ effect }) => effect.getTiming().iterations < Infinity)
      await Promise.allSettled(appearing.map(({ finished }) => finished))
      return axe.run(document, { resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } })
    })()`,
  )) as AxeResults
  const violations = found.violations.map(({ id, nodes }) => ({ id, at: nodes.map(({ html }) => html) }))
  expect(violations).toEqual([])
}

/** What WCAG 1.4.12 lets people set. */
const SPACED = `* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }
  p { margin-bottom: 2em !important }`

/** With room between lines, letters and words no text is cut off, but where three dots or a bar to scroll by say so. */
export async function expectSpacedText(page: Page): Promise<void> {
  // The pages' policy lets no style in that comes as text in an element.
  await page.evaluate(`{
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(\`${SPACED}\`)
    document.adoptedStyleSheets = [sheet]
  }`)
  const clipped = await page.evaluate(`[...document.querySelectorAll('body *')].flatMap((element) => {
    const style = getComputedStyle(element)
    const isCut = [style.overflowX, style.overflowY].includes('hidden') && style.position !== 'absolute'
    const isTold = style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none'
    const isOver = element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1
    return isCut && !isTold && isOver && element.innerText ? [element.outerHTML.slice(0, 200)] : []
  })`)
  await page.evaluate('document.adoptedStyleSheets = []')
  expect(clipped).toEqual([])
}

/** Nothing reaches over the window's edge. */
export async function expectToFit(page: Page): Promise<void> {
  const over = await page.evaluate(`document.documentElement.scrollWidth <= innerWidth ? [] :
    [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
      .map((element) => element.outerHTML.slice(0, 150))`)
  expect(over).toEqual([])
}
