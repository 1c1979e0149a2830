import { expect, test } from 'vitest'
import { FairTurns, type Turn } from './fair-turns.ts'

const settled = () => new Promise((resolve) => setImmediate(resolve))

/** Takes turns for accounts; `began` names them as they begin. */
function turnsOf(options: { places: number; mostOfOne?: number }) {
  const room = { ...options }
  const began: string[] = []
  const ends = new Map<string, () => void>()
  const { mostOfOne } = options
  const turns = new FairTurns({
    places: () => room.places,
    now: () => 0,
    ...(mostOfOne !== undefined && { mostOfOne }),
  })
  const take = async (name: string, turn: Turn = {}): Promise<void> => {
    const end = await turns.take(name[0]!, turn)
    began.push(name)
    ends.set(name, end)
  }
  const end = async (name: string): Promise<void> => {
    ends.get(name)!()
    await settled()
  }
  return { turns, room, began, take, end }
}

test('turns begin while there are places, and others as turns end', async () => {
  const { turns, began, take, end } = turnsOf({ places: 2 })
  const all = Promise.all(['a1', 'a2', 'a3', 'b1'].map((name) => take(name)))
  await settled()
  expect([began, turns.taken, turns.waiting, turns.waitingOf('a')]).toEqual([['a1', 'a2'], 2, 2, 1])
  await end('a1')
  await end('a2')
  await all
  expect([began, turns.taken, turns.waiting]).toEqual([['a1', 'a2', 'b1', 'a3'], 2, 0])
})

test('a turn in the background waits for those of the same account that are awaited', async () => {
  const { began, take, end } = turnsOf({ places: 1 })
  await take('a1')
  const all = [take('a2', { isBackground: true }), take('a3')]
  await end('a1')
  await end('a3')
  await Promise.all(all)
  expect(began).toEqual(['a1', 'a3', 'a2'])
})

test('places may come and go', async () => {
  const { turns, room, began, take, end } = turnsOf({ places: 1 })
  const all = Promise.all(['a1', 'a2', 'a3'].map((name) => take(name)))
  room.places = 2
  turns.look()
  await settled()
  expect(began).toEqual(['a1', 'a2'])
  room.places = 1
  await end('a1')
  expect(began).toEqual(['a1', 'a2'])
  await end('a2')
  await all
  expect(began).toEqual(['a1', 'a2', 'a3'])
})

test('an aborted wait takes no turn', async () => {
  const { turns, began, take, end } = turnsOf({ places: 1 })
  const stopping = new AbortController()
  const first = take('a1')
  const stopped = take('a2', stopping)
  const last = take('a3')
  stopping.abort(new Error('enough'))
  await expect(stopped).rejects.toThrow('enough')
  await expect(take('a4', stopping)).rejects.toThrow('enough')
  await first
  await end('a1')
  await last
  expect([began, turns.waiting, turns.taken]).toEqual([['a1', 'a3'], 0, 1])
})
