import { expect, test } from 'vitest'
import { FairQueue } from './fair-queue.ts'

/** A queue whose jobs are named by their account and a number, and its clock. */
function queueOf(names: string, mostOfOne?: number) {
  const clock = { ms: 0 }
  const queue = new FairQueue<string>({ now: () => clock.ms, ...(mostOfOne && { mostOfOne }) })
  for (const name of names.split(' ')) queue.add(name[0]!, name)
  return {
    queue,
    clock,
    next: (count: number) => Array.from({ length: count }, () => queue.next()).join(' '),
    end: (names: string) => names.split(' ').forEach((name) => queue.end(name[0]!, name)),
  }
}

test('accounts take turns, each in the order of its own', () => {
  const { queue, next } = queueOf('a1 a2 a3 b1 b2 c1')
  expect(queue.size).toBe(6)
  expect(next(7)).toBe('a1 b1 c1 a2 b2 a3 ')
  expect(queue.size).toBe(0)
})

test('within an account what a client waits for goes before what is done in the background', () => {
  const { queue, next, end } = queueOf('b1')
  for (const name of ['a1', 'a2', 'a3']) queue.add('a', name, { isBackground: true })
  for (const name of ['a4', 'a5']) queue.add('a', name)
  expect(next(4)).toBe('b1 a4 a5 a1')
  expect([queue.waitingOf('a'), queue.remove('a', 'a2'), queue.size]).toEqual([2, true, 1])
  end('a4 a5 a1')
  expect(queue.clear()).toEqual(['a3'])
})

test('beside as many background jobs as an account may run, one more is taken that a client waits for', () => {
  const { queue, next, end } = queueOf('b1', 2)
  for (const name of ['a1', 'a2', 'a3']) queue.add('a', name, { isBackground: true })
  expect(next(4)).toBe('b1 a1 a2 ')
  for (const name of ['a4', 'a5']) queue.add('a', name)
  expect(next(2)).toBe('a4 ')
  end('a1')
  expect(next(2), 'of two places one is theirs').toBe('a5 ')
  end('a4 a5')
  expect(next(2)).toBe('a3 ')
  const alone = queueOf('a1 a2 a3', 2)
  expect(alone.next(3), 'without background jobs it is one of those').toBe('a1 a2 ')
})

test('of those that a client waits for alone, accounts take turns as well', () => {
  const { queue, end } = queueOf('a1 a2 b1')
  queue.add('c', 'c1', { isBackground: true })
  const next = (count: number) =>
    Array.from({ length: count }, () => queue.next({ awaitedOnly: true })).join(' ')
  expect([queue.awaited, queue.size]).toEqual([3, 4])
  expect(next(4)).toBe('a1 b1 a2 ')
  end('a1 b1 a2')
  expect([queue.awaited, queue.size, queue.next(), queue.size]).toEqual([0, 1, 'c1', 0])
})

test('the account with the fewest jobs running comes first', () => {
  const { next, end } = queueOf('a1 a2 a3 b1 b2 b3')
  expect(next(4)).toBe('a1 b1 a2 b2')
  end('b1 b2')
  expect(next(2)).toBe('b3 a3')
})

test('what took long delays its own account, for a minute at most', () => {
  const { queue, clock, next, end } = queueOf('a1 b1')
  const again = (): void => ['a2', 'b2', 'b3'].forEach((name) => queue.add(name[0]!, name))
  expect(next(2)).toBe('a1 b1')
  end('b1')
  clock.ms = 30_000
  end('a1')
  again()
  expect(next(1)).toBe('b2')
  end('b2')
  expect(next(2)).toBe('b3 a2')
  end('b3 a2')
  clock.ms += 30_000
  again()
  expect(next(3), 'it is even again').toBe('b2 a2 b3')
})

test('hours of work are forgiven within a minute', () => {
  const { queue, clock, next, end } = queueOf('a1 b1')
  expect(next(2)).toBe('a1 b1')
  end('b1')
  clock.ms = 7_200_000
  end('a1')
  clock.ms += 60_000
  for (const name of ['a2', 'b2']) queue.add(name[0]!, name)
  expect(next(1)).toBe('a2')
})

test('an account runs no more than it may at once', () => {
  const { next, end } = queueOf('a1 a2 a3', 2)
  expect(next(3)).toBe('a1 a2 ')
  end('a1')
  expect(next(2)).toBe('a3 ')
})

test('what leaves the queue is not run, and what is cleared waits no more', () => {
  const { queue, next } = queueOf('a1 a2 a3 b1')
  expect(queue.waitingOf('a')).toBe(3)
  expect(queue.remove('a', 'a1')).toBe(true)
  expect(queue.remove('a', 'a1')).toBe(false)
  expect(queue.remove('c', 'c1')).toBe(false)
  expect([queue.size, queue.waitingOf('a'), next(1)]).toEqual([3, 2, 'a2'])
  expect(queue.clear()).toEqual(['a3', 'b1'])
  expect([queue.size, queue.waitingOf('a'), queue.next()]).toEqual([0, 0, null])
})
