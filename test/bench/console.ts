import { chromium, type Browser } from 'playwright-core'
import { asOperator } from '../src/harness/client.ts'
import { startServer, temporaryDataFolder, type RunningServer } from '../src/harness/server.ts'
import { toolPath } from '../src/tools.ts'
import { fillCatalog, libraryItems } from './fill-catalog.ts'
import { median, row, type BenchRows } from './row.ts'
import { sized } from './scale.ts'

const ITEMS = sized(100_000)
const VIEWS = sized(5)
/** From the first row to the last one, ten seconds at sixty frames a second. */
const FRAMES = sized(600)

/**
 * The console over a library of 100 000 items, in Chromium: from an address to the first row, and scrolling through all of
 * them. The rows are written into the catalog's file directly; all else is the service and the console as they are.
 */
export async function* benchConsole(): BenchRows {
  const executablePath = toolPath('chromium')
  if (executablePath === null) {
    console.log('  not measured: there is no Chromium (CHROMIUM)')
    return
  }
  const folder = await temporaryDataFolder()
  const first = await startServer({ dataFolder: folder.path })
  try {
    const { body } = await asOperator(first.url, first.operatorToken).request('GET', '/admin/accounts')
    await first.stop()
    await fillCatalog(folder.path, body.data.accounts[0].account_id, libraryItems(ITEMS, 4), ITEMS)
    const server = await startServer({ dataFolder: folder.path })
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
    try {
      yield* measure(server, first.apiKey!, browser)
    } finally {
      await browser.close()
      await server.stop()
    }
  } finally {
    await folder.remove()
  }
}

async function* measure({ url }: RunningServer, apiKey: string, browser: Browser): BenchRows {
  /** A new visitor: nothing is cached. */
  async function open(slower = 1) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    await context.addInitScript((key) => sessionStorage.setItem('medialog.api-key', key), apiKey)
    await context.addInitScript(LONG_TASKS)
    const page = await context.newPage()
    const session = await context.newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: slower })
    await page.goto(`${url}/console/library`, { waitUntil: 'commit' })
    await page.locator('.items a').first().waitFor()
    return { context, page, milliseconds: (await page.evaluate('performance.now()')) as number }
  }
  await (await open()).context.close()
  const times: number[] = []
  for (let view = 0; view < VIEWS; view++) {
    const { context, milliseconds } = await open()
    times.push(milliseconds)
    await context.close()
  }
  const slowTimes: number[] = []
  const longest: number[] = []
  for (let view = 0; view < VIEWS; view++) {
    const { context, page, milliseconds } = await open(4)
    // What comes with the first rows is drawn by then.
    await page.waitForTimeout(1000)
    slowTimes.push(milliseconds)
    longest.push(await page.evaluate<number>('Math.max(0, ...window.longTasks)'))
    await context.close()
  }
  const { page } = await open()
  const frames = (await page.evaluate(SCROLL.replaceAll('FRAMES', String(FRAMES)))) as number[]
  const sorted = frames.toSorted((a, b) => a - b)
  const landed = performance.now()
  await page.getByText('item-0.txt').waitFor()
  const name = (what: string): string => `console, ${ITEMS.toLocaleString('en')} items: ${what}`
  yield* [
    row(name('first row in view after an address (goal 1,000)'), 1000, median(times), 'ms'),
    row(name('the same on a processor four times slower (goal 2,500)'), 2500, median(slowTimes), 'ms'),
    row(name('its longest task there (goal 400)'), 400, median(longest), 'ms'),
    row(
      name('99 of 100 frames while scrolling through all (goal 50)'),
      50,
      sorted[Math.floor(sorted.length * 0.99)]!,
      'ms',
    ),
    row(name('last row after the end was reached (goal 1,000)'), 1000, performance.now() - landed, 'ms'),
  ]
}

/** Notes how long each task takes that is longer than 50 ms. */
const LONG_TASKS = `
  window.longTasks = []
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longTasks.push(duration)
  }).observe({ type: 'longtask', buffered: true })`

/** Scrolls to the end in so many frames; answers how long each took. */
const SCROLL = `(async () => {
  const times = []
  const height = document.documentElement.scrollHeight - innerHeight
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  let last = await frame()
  for (let step = 1; step <= FRAMES; step++) {
    scrollTo(0, (height * step) / FRAMES)
    const now = await frame()
    times.push(now - last)
    last = now
  }
  return times
})()`
