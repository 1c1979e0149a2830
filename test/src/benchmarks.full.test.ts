import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { isWorse } from '../bench/row.ts'
import { commitKept } from '../bench/tables.ts'
import { hasCommit } from '../bench/tree-of.ts'
import { ENGINES } from './engines.ts'
import { toolPath } from './tools.ts'

const MAIN = new URL('../bench/main.ts', import.meta.url).pathname
/** Those that are quick at a hundredth; what `understanding` and `retrieval` measure has tests of its own. */
const NAMES =
  'append embedding search connections rebuild http search-http upload replay start engines audit-verify feed speech'
    .split(' ')
    .concat(toolPath('chromium') === null ? [] : ['console'])

async function bench(
  words: readonly string[],
  settings: Record<string, string> = {},
): Promise<{ code: number; said: string; errors: string }> {
  const env = { ...process.env, MEDIALOG_BENCH_SCALE: '0.01', ...settings }
  const child = spawn(process.execPath, [MAIN, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [said, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number]>,
  ])
  return { code, said, errors }
}

describe('the benchmarks', () => {
  test('run at a hundredth', { timeout: 600_000 }, async () => {
    const { code, said, errors } = await bench(NAMES)
    expect(errors).toBe('')
    expect(code).toBe(0)
    const sections = said.split(/\n(?=[a-z-]+\n)/)
    for (const name of NAMES) {
      const section = sections.find((text) => text.trimStart().startsWith(`${name}\n`))
      const ratios = [...(section ?? '').matchAll(/ratio (\S+) /gm)].map(([, ratio]) => Number(ratio))
      expect(ratios.length, name).toBeGreaterThan(0)
      for (const ratio of ratios) expect(ratio, name).toBeGreaterThan(0)
    }
    expect(said).toContain('these are no figures')
  })

  test('names engines that no address is given of', { timeout: 300_000 }, async () => {
    const nowhere = Object.fromEntries(Object.values(ENGINES).map(({ variable }) => [variable, '']))
    const { said, code } = await bench(['engines'], nowhere)
    expect(code).toBe(0)
    const unnamed = said.matchAll(/not measured: .* \((\w+) is not set\)/g)
    expect(Array.from(unnamed, ([, variable]) => variable)).toEqual([
      'ELASTICSEARCH_URL',
      'TEMPORAL_ADDRESS',
      'KAFKA_BROKERS',
      'ELASTICSEARCH_URL',
    ])
    expect(said).toMatch(/the double of EventStoreDB: append, 1 writer/)
  })

  test('are not much slower than the table that was kept', { timeout: 900_000 }, async () => {
    // A clone without history is measured beside itself: that shows no more than that it works.
    const commit = hasCommit(commitKept()) ? commitKept() : 'HEAD'
    const { said, errors, code } = await bench(['--beside', commit], { MEDIALOG_BENCH_SCALE: '0.05' })
    expect(errors, said).toBe('')
    expect(code).toBe(0)
    expect([...said.matchAll(/ratio/g)]).toHaveLength(6)
  })

  test.each<[string, number, [number, number], boolean]>([
    ['ms', 1.2, [1.05, 1.4], true],
    ['ms', 1.2, [0.9, 1.4], false],
    ['ms', 1.1, [1.05, 1.4], false],
    ['ms', 0.5, [0.4, 0.6], false],
    ['1/s', 0.8, [0.7, 0.95], true],
    ['1/s', 0.8, [0.7, 1.1], false],
    ['1/s', 2, [1.8, 2.2], false],
  ])('call a ratio in %s of %d, quartiles %j, worse: %s', (unit, ratio, spread, worse) => {
    expect(isWorse({ name: '', baseline: 1, measured: ratio, ratio, unit, spread })).toBe(worse)
  })

  test('name a commit that is not there', async () => {
    expect(await bench(['--beside', 'nothing'])).toMatchObject({
      code: 2,
      errors: 'There is no commit nothing in this repository.\n',
    })
  })

  test('say which names there are', async () => {
    expect(await bench(['nothing'])).toMatchObject({
      code: 2,
      errors: expect.stringContaining('There are: append'),
    })
  })
})
