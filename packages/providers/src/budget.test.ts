import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Budget } from './budget.ts'
import { tokensInFile } from './spent-tokens.ts'

const MINUTE = 60_000

test('what was taken is there again after an hour', () => {
  let now = 0
  const budget = new Budget(100, { now: () => now })
  const first = budget.reserve(60)
  expect(first).not.toBe(false)
  expect(budget.reserve(41)).toBe(false)
  if (first) first(70)
  expect(budget.left).toBe(30)
  now = 30 * MINUTE
  expect(budget.reserve(30)).not.toBe(false)
  now = 59 * MINUTE
  expect(budget.left).toBe(0)
  now = 60 * MINUTE
  expect(budget.left).toBe(70)
  now = 90 * MINUTE
  expect(budget.left).toBe(100)
})

test('more than was reserved may have been taken; nothing less than nothing is left', () => {
  const budget = new Budget(100)
  const correct = budget.reserve(100)
  if (correct) correct(250)
  expect(budget.left).toBe(0)
  expect(new Budget(null).left).toBeNull()
  expect(new Budget(null).reserve(1e12)).not.toBe(false)
})

test('an account has its own share of it, which others do not touch', () => {
  let now = 0
  const budget = new Budget(100, { now: () => now }, null, 40)
  const first = budget.reserve(30, 'ann')
  expect(budget.reserve(11, 'ann')).toBe(false)
  expect(budget.left).toBe(70)
  if (first) first(20)
  expect(budget.reserve(20, 'ann')).not.toBe(false)
  expect(budget.reserve(1, 'ann')).toBe(false)
  expect(budget.reserve(40, 'bob')).not.toBe(false)
  expect(budget.left).toBe(20)
  expect(budget.reserve(21, 'cat'), 'no more than all have left').toBe(false)
  expect(budget.reserve(20, 'cat')).not.toBe(false)
  now = 60 * MINUTE
  expect(budget.reserve(40, 'ann')).not.toBe(false)
  expect(budget.reserve(60), 'work for no account in particular').not.toBe(false)
})

async function fileOfTokens() {
  const folder = await mkdtemp(join(tmpdir(), 'medialog-budget-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const troubles: Error[] = []
  const path = join(folder, 'tokens.json')
  return { folder, path, troubles, kept: tokensInFile(path, (error) => troubles.push(error)) }
}

test('a restart goes on with what was spent within the hour; a call that it cut off has taken all that was set aside', async () => {
  const { folder, kept, troubles } = await fileOfTokens()
  let now = 90 * MINUTE
  const opened = (limit: number | null = 100) => new Budget(limit, { now: () => now }, kept)
  const first = opened().reserve(60)
  if (first) first(20)
  now += MINUTE
  expect(opened().reserve(50)).not.toBe(false)
  expect(opened().left).toBe(30)
  expect(opened().reserve(31)).toBe(false)
  now = 150 * MINUTE
  expect(opened().left).toBe(50)
  now = 151 * MINUTE
  expect(opened().left).toBe(100)
  // The clock was set right.
  now = 80 * MINUTE
  expect(opened().left).toBe(100)
  expect(await readdir(folder)).toEqual(['tokens.json'])
  opened(null).reserve(5)
  expect(opened().left).toBe(100)
  expect(troubles).toEqual([])
})

test('a file that cannot be read or written is told of, and keeps nobody from working', async () => {
  const { folder, path, kept, troubles } = await fileOfTokens()
  for (const damage of ['', '{', '[["a",1]]', '[[1]]', '[[-1,1]]']) {
    await writeFile(path, damage)
    expect(new Budget(100, undefined, kept).left).toBe(100)
  }
  expect(troubles).toHaveLength(5)
  const nowhere = tokensInFile(join(folder, 'missing', 'tokens.json'), (error) => troubles.push(error))
  const budget = new Budget(100, undefined, nowhere)
  expect(budget.reserve(40)).not.toBe(false)
  expect([budget.left, troubles.length]).toEqual([60, 6])
})
