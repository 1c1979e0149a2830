import { expect, test } from 'vitest'
import { Slots } from './slots.ts'

const NEVER = new AbortController().signal
const [ANN, BOB, CAT] = ['ann', 'bob', 'cat']

/** Where no work takes time. */
const slotsOf = (most: number, mostJobs: number): Slots => new Slots(most, mostJobs, () => 0)

/** Work that ends on demand, and what began so far. */
function workbench() {
  const began: string[] = []
  const ends = new Map<string, () => void>()
  const work = (name: string) => () => {
    began.push(name)
    return new Promise<string>((resolve) => ends.set(name, () => resolve(name)))
  }
  const end = async (name: string): Promise<void> => {
    ends.get(name)!()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  return { began, work, end, settled }
}

test('jobs wait for their turn, in their order, and leave room for uploads', async () => {
  const { began, work, end, settled } = workbench()
  const slots = slotsOf(4, 2)
  const jobs = ['a', 'b', 'c', 'd'].map((name) => slots.job(ANN, NEVER, work(name)))
  await settled()
  expect([began, slots.running]).toEqual([['a', 'b'], 2])
  const uploads = ['u', 'v'].map((name) => slots.upload(work(name)))
  expect(uploads.every((upload) => upload !== null)).toBe(true)
  expect(slots.upload(work('w')), 'refused at once').toBeNull()
  await end('b')
  expect(began).toEqual(['a', 'b', 'u', 'v', 'c'])
  await end('a')
  await end('c')
  expect(began.at(-1)).toBe('d')
  await end('d')
  expect(await Promise.all(jobs)).toEqual(['a', 'b', 'c', 'd'])
  await end('u')
  await end('v')
  expect(slots.running).toBe(0)
})

test('uploads take the room that jobs wait for', async () => {
  const { began, work, end, settled } = workbench()
  const slots = slotsOf(1, 1)
  const upload = slots.upload(work('u'))
  const job = slots.job(ANN, NEVER, work('a'))
  await settled()
  expect(began).toEqual(['u'])
  await end('u')
  await upload
  await settled()
  expect(began).toEqual(['u', 'a'])
  await end('a')
  expect(await job).toBe('a')
})

test('work that is stopped while waiting leaves the queue; work that fails gives its place up', async () => {
  const { began, work, end, settled } = workbench()
  const slots = slotsOf(9, 1)
  const first = slots.job(ANN, NEVER, work('a'))
  const stopping = new AbortController()
  const stopped = slots.job(ANN, stopping.signal, work('b'))
  const failing = slots.job(ANN, NEVER, () => Promise.reject(new Error('broken')))
  const last = slots.job(ANN, NEVER, work('c'))
  stopping.abort(new Error('cancelled'))
  await expect(stopped).rejects.toThrow('cancelled')
  await expect(slots.job(ANN, stopping.signal, work('d'))).rejects.toThrow('cancelled')
  await settled()
  await Promise.all([end('a'), expect(failing).rejects.toThrow('broken')])
  await settled()
  await end('c')
  expect([await first, await last, began, slots.running]).toEqual(['a', 'c', ['a', 'c'], 0])
})

test('an account’s single job is not behind another account’s hundred', async () => {
  const { began, work, end, settled } = workbench()
  const slots = slotsOf(9, 4)
  const names = Array.from({ length: 100 }, (_, index) => `ann ${index}`)
  const hundred = names.map((name) => slots.job(ANN, NEVER, work(name)))
  await settled()
  const single = slots.job(BOB, NEVER, work('bob'))
  await end('ann 2')
  expect(began).toEqual(['ann 0', 'ann 1', 'ann 2', 'ann 3', 'bob'])
  await end('bob')
  expect(await single).toBe('bob')
  for (const name of names) if (name !== 'ann 2') await end(name)
  expect([await Promise.all(hundred), slots.running]).toEqual([names, 0])
})

test('accounts that all have jobs waiting take turns, each with its own in their order', async () => {
  const { began, work, end, settled } = workbench()
  const slots = slotsOf(9, 1)
  const stopping = new AbortController()
  const jobs = [ANN, BOB, CAT].flatMap((account) =>
    [1, 2, 3].map((number) => slots.job(account, NEVER, work(`${account} ${number}`))),
  )
  const stopped = slots.job(BOB, stopping.signal, work('never'))
  stopping.abort(new Error('cancelled'))
  await expect(stopped).rejects.toThrow('cancelled')
  await settled()
  for (let turn = 0; turn < jobs.length; turn++) await end(began.at(-1)!)
  await Promise.all(jobs)
  const turns = [1, 2, 3].flatMap((number) => [ANN, BOB, CAT].map((account) => `${account} ${number}`))
  expect(began).toEqual(turns)
})

test('accounts without running work come before others, however long those wait', async () => {
  const { began, work, end, settled } = workbench()
  const slots = slotsOf(9, 3)
  const jobs = ['a', 'b', 'c', 'd', 'e'].map((name) => slots.job(ANN, NEVER, work(name)))
  const others = ['f', 'g'].map((name) => slots.job(BOB, NEVER, work(name)))
  await settled()
  await end('a')
  await end('b')
  expect(began).toEqual(['a', 'b', 'c', 'f', 'd'])
  await end('c')
  expect(began.at(-1), 'one runs of each: Bob’s turn was before').toBe('g')
  for (const name of ['d', 'f', 'g', 'e']) await end(name)
  await Promise.all([...jobs, ...others])
})
