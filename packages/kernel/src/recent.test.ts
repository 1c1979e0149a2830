import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Recent } from './recent.ts'

test('the one that was asked for least recently is forgotten, and all are on demand', () => {
  const kept = new Recent<string, number>(2)
  kept.set('a', 1)
  kept.set('b', 2)
  expect(kept.get('a')).toBe(1)
  kept.set('c', 3)
  expect(['a', 'b', 'c'].map((key) => kept.get(key))).toEqual([1, undefined, 3])
  kept.set('a', 4)
  expect([kept.get('a'), kept.get('c')]).toEqual([4, 3])
  kept.clear()
  expect([kept.get('a'), kept.get('c')]).toEqual([undefined, undefined])
})

test('keeps the last ones that were read or set', () => {
  const keys = fc.nat(5)
  const steps = fc.array(fc.tuple(fc.constantFrom('get', 'get', 'set', 'clear'), keys), { maxLength: 60 })
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 4 }), (all, capacity) => {
      const kept = new Recent<number, string>(capacity)
      let used: [number, string][] = []
      for (const [n, [step, key]] of all.entries()) {
        const known = used.find(([other]) => other === key)?.[1]
        const value = step === 'set' ? `${n}` : known
        if (step === 'get') expect(kept.get(key)).toBe(known)
        else if (step === 'set') kept.set(key, `${n}`)
        else kept.clear()
        if (step === 'clear') used = []
        else if (value !== undefined)
          used = [...used.filter(([other]) => other !== key), [key, value] as [number, string]].slice(
            -capacity,
          )
      }
      expect(used.map(([key]) => kept.get(key))).toEqual(used.map(([, value]) => value))
    }),
  )
})
