import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonOf, WrittenJson } from './json.ts'

describe('jsonOf', () => {
  it('writes what JSON.stringify does, whichever parts were written before', () => {
    const part = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constant(undefined))
    const answer = fc.dictionary(fc.stringMatching(/^[a-z_]+$/), fc.tuple(part, fc.boolean()))
    fc.assert(
      fc.property(answer, (parts) => {
        const entries = Object.entries(parts)
        const plain = Object.fromEntries(entries.map(([name, [value]]) => [name, value]))
        const maybeWritten = Object.fromEntries(
          entries.map(([name, [value, first]]) => [
            name,
            first && value !== undefined ? new WrittenJson(value) : value,
          ]),
        )
        expect(jsonOf(maybeWritten)).toBe(JSON.stringify(plain))
      }),
    )
  })
})
