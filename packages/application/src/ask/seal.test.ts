import fc from 'fast-check'
import { expect, test } from 'vitest'
import { seal, unseal } from './seal.ts'

const answer = { text: 'The wind blew. 바람', cited: [0] }

test('opens with the same material', () => {
  const part = fc.oneof(fc.string({ unit: 'binary' }), fc.uint8Array())
  fc.assert(
    fc.property(fc.array(part), (material) => {
      expect(unseal(seal(answer, material), material)).toEqual(answer)
    }),
  )
})

test('does not open with other material, parted otherwise, or when it was changed or cut', () => {
  const sealed = seal(answer, ['ab', 'c'])
  for (const material of [[], ['ab'], ['a', 'bc'], ['abc'], ['ab', 'c', '']])
    expect(unseal(sealed, material)).toBeNull()
  for (let at = 0; at < sealed.length; at++) {
    const changed = Uint8Array.from(sealed)
    changed[at]! ^= 1
    expect(unseal(changed, ['ab', 'c']), String(at)).toBeNull()
    expect(unseal(sealed.slice(0, at), ['ab', 'c']), String(at)).toBeNull()
  }
})

test('no two seals are alike', () => {
  expect(seal(answer, ['a'])).not.toEqual(seal(answer, ['a']))
})
