import type { Coordination } from '@medialog/application/ports'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

export interface CoordinationEngine {
  /** As several processes have it. */
  connect(): Coordination
  close(): Promise<void>
}

/** What every Coordination must do. `factory` is called once a test, for one in which nothing was written. */
export function describeCoordinationContract(name: string, factory: () => Promise<CoordinationEngine>): void {
  describe(`coordination: ${name}`, () => {
    let engine: CoordinationEngine
    let [one, other]: Coordination[] = []
    beforeEach(async () => {
      engine = await factory()
      ;[one, other] = [engine.connect(), engine.connect()]
    })
    afterEach(() => engine.close())

    test('of several who saw the same, one writes', async () => {
      expect(await one!.read('a/1')).toBeNull()
      const written = await Promise.all(
        [one!, other!, one!, other!].map((by, at) => by.write('a/1', { at }, null)),
      )
      const [winner, ...others] = written.filter((note) => note !== null)
      expect(others).toEqual([])
      expect(await other!.read('a/1')).toEqual(winner)
      const again = await Promise.all([one!, other!].map((by, at) => by.write('a/1', { at }, winner!)))
      expect(again.filter((note) => note !== null)).toHaveLength(1)
      expect(await one!.write('a/1', { at: 9 }, winner!)).toBeNull()
    })

    test('lists what is there now, by how its ids begin', async () => {
      expect(await one!.list('a/')).toEqual([])
      for (const id of ['a/1', 'a/2', 'b/1']) await one!.write(id, { deep: [{ id }] }, null)
      const listed = await other!.list<{ deep: unknown }>('a/')
      expect(listed.map(({ id, value }) => [id, value])).toEqual([
        ['a/1', { deep: [{ id: 'a/1' }] }],
        ['a/2', { deep: [{ id: 'a/2' }] }],
      ])
      await one!.remove(listed[0]!)
      expect((await other!.list('a/')).map(({ id }) => id)).toEqual(['a/2'])
      expect(await other!.read('a/1')).toBeNull()
      expect(await other!.write('a/1', {}, listed[0]!)).toBeNull()
    })

    test('removes nothing that is not as it was read', async () => {
      const first = (await one!.write('a/1', { at: 1 }, null))!
      const second = (await other!.write('a/1', { at: 2 }, first))!
      await one!.remove(first)
      expect(await one!.read('a/1')).toEqual(second)
      await one!.remove(second)
      await one!.remove(second)
      expect(await one!.read('a/1')).toBeNull()
      expect(await one!.write('a/1', { at: 3 }, null)).not.toBeNull()
    })
  })
}
