import { expect, test } from 'vitest'
import { fakeContext } from '../testing/context.ts'
import { ENTRIES } from '../testing/fake-history.ts'

const { run, json } = fakeContext()

test('the history of an item is shown whole, page after page, and what it comes to', async () => {
  const { code, stdout } = await run('history', 'doc_1')
  expect(code).toBe(0)
  expect(stdout).toMatch(/BalanceCharged +-\$0.04 +upload +testtest +req_1\n/)
  expect(stdout).toMatch(/MediaIngested +whales.txt, in default, offline-3, MiniLM +testtest +req_1\n/)
  expect(stdout).toMatch(/BalanceRefunded +\$0.01 +not used +testtest +batch_1\n/)
  expect(stdout).toMatch(/RequestCompleted +search, cost \$0.02 +testtest +req_1\n/)
  expect(stdout).toMatch(/state +deleted, and erased\ncost +\$0.03\nIt was long.\n/)
})

test('what a request caused is shown with its batch, its items and what it cost', async () => {
  const { code, stdout } = await run('request', 'req_1')
  expect(code).toBe(0)
  expect(stdout).toMatch(
    /request +req_1\nbatch +batch_1\ncharged +\$0.04\nrefunded +\$0.01\nitems +2 items\n/,
  )
  expect(stdout).toMatch(/doc_1 +whales.txt\nvec-2 +absent\n/)
})

test('as JSON both are one document', async () => {
  const whole = { entries: ENTRIES, pagination: { page: 1, total_items: ENTRIES.length, has_next: false } }
  expect(await json('history', 'doc_1')).toMatchObject({ media_id: 'doc_1', ...whole })
  expect(await json('request', 'req_1')).toMatchObject({ request_id: 'req_1', ...whole })
})

test('what is not there is said', async () => {
  for (const of of [
    ['history', 'doc_2'],
    ['request', 'req_2'],
  ]) {
    const { code, stderr } = await run(...of)
    expect([code, stderr]).toEqual([1, expect.stringContaining('There is no such thing.')])
  }
})
