import { expect, test } from 'vitest'
import { Slots } from './slots.ts'

const NEVER = new AbortController().signal

/** Work that ends when it is told to, and what began so far. */
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
  const slots = new Slots(4, 2)
  const jobs = ['a', 'b', 'c', 'd'].map((name) => slots.job(NEVER, work(name)))
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
  const slots = new Slots(1, 1)
  const upload = slots.upload(work('u'))
  const job = slots.job(NEVER, work('a'))
  await settled()
  expect(began).toEqual(['u'])
  await end('u')
  await upload
  await settled()
  expect(began).toEqual(['u', 'a'])
  await end('a')
  expect(await job).toBe('a')
})

test('whoever is told to stop while waiting leaves the queue; work that fails gives its place up', async () => {
  const { began, work, end, settled } = workbench()
  const slots = new Slots(9, 1)
  const first = slots.job(NEVER, work('a'))
  const stopping = new AbortController()
  const stopped = slots.job(stopping.signal, work('b'))
  const failing = slots.job(NEVER, () => Promise.reject(new Error('broken')))
  const last = slots.job(NEVER, work('c'))
  stopping.abort(new Error('cancelled'))
  await expect(stopped).rejects.toThrow('cancelled')
  await expect(slots.job(stopping.signal, work('d'))).rejects.toThrow('cancelled')
  await settled()
  await Promise.all([end('a'), expect(failing).rejects.toThrow('broken')])
  await settled()
  await end('c')
  expect([await first, await last, began, slots.running]).toEqual(['a', 'c', ['a', 'c'], 0])
})
