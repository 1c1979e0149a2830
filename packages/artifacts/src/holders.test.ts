import { expect, test } from 'vitest'
import { Holders, type HolderNotes } from './holders.ts'

/** A place whose clock is the test's. */
function place() {
  const clock = { now: 0 }
  const notes = new Map<string, { text: string; writtenAt: number }>()
  const written: string[] = []
  const port: HolderNotes = {
    write: async (holder, text) => {
      written.push(text)
      notes.set(holder, { text, writtenAt: clock.now })
    },
    list: async () => [...notes].map(([holder, { writtenAt }]) => ({ holder, writtenAt })),
    read: async (holder) => notes.get(holder)?.text ?? null,
    remove: async (holder) => void notes.delete(holder),
  }
  return { clock, notes, written, port }
}

test('what others hold is theirs as long as they say so, by the clock of the place', async () => {
  const { clock, notes, port } = place()
  const times = { noteEveryMs: 3_600_000, deadAfterMs: 100 }
  const one = new Holders(port, async () => ['a', 'b'], times)
  const other = new Holders(port, async () => ['c'], times)
  clock.now = 1_000
  await one.look()
  clock.now = 1_100
  expect(await other.look()).toEqual({ held: new Set(['a', 'b', 'c']), before: 1_000 })
  clock.now = 1_101
  expect(await other.look()).toEqual({ held: new Set(['c']), before: 1_001 })
  expect(notes.size).toBe(1)
  // It was only slow.
  expect((await one.look()).held).toEqual(new Set(['a', 'b', 'c']))
  await Promise.all([one.close(), other.close()])
  expect(notes.size).toBe(0)
})

test('a process reports again and again what it holds, also after the place was unavailable', async () => {
  const { port, written } = place()
  let held = ['a']
  const write = port.write.bind(port)
  let away = 2
  port.write = async (...note) => {
    if (away-- > 0) throw new Error('away')
    await write(...note)
  }
  const holders = new Holders(port, async () => held, { noteEveryMs: 5, deadAfterMs: 100 })
  await expect.poll(() => written, { timeout: 30_000 }).toContain('a')
  held = ['b', 'c']
  await expect.poll(() => written, { timeout: 30_000 }).toContain('b\nc')
  await holders.close()
})

test('what it is saying while it is closed does not outlive it', async () => {
  const { notes, port } = place()
  const saying = Promise.withResolvers<void>()
  const said = Promise.withResolvers<void>()
  const write = port.write.bind(port)
  port.write = async (...note) => {
    saying.resolve()
    await said.promise
    await write(...note)
  }
  const holders = new Holders(port, async () => ['a'], { noteEveryMs: 5, deadAfterMs: 100 })
  await saying.promise
  const closing = holders.close()
  said.resolve()
  await closing
  expect(notes.size).toBe(0)
})
