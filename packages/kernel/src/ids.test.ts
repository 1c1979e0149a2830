import { describe, expect, test } from 'vitest'
import { batchId, parseMediaId, typedMediaId, vectorId } from './ids.ts'

const uuid = '0f8fad5b-d9cb-5690-a165-708676f1d0ee'

describe('media ids', () => {
  test('both forms name the same item', () => {
    expect(parseMediaId(typedMediaId('image', uuid))).toEqual({ id: uuid, claimedType: 'image' })
    expect(parseMediaId(vectorId(uuid))).toEqual({ id: uuid, claimedType: null })
  })

  test.each([
    '',
    'doc_',
    `xyz_${uuid}`,
    `doc-${uuid}`,
    `vec_${uuid}`,
    uuid,
    `doc_${uuid}x`,
    `doc_${uuid.toUpperCase()}`,
  ])('refuses %s', (text) => {
    expect(parseMediaId(text)).toBeNull()
  })
})

test('prefixed ids round-trip and refuse other prefixes', () => {
  expect(batchId.parse(batchId.format(uuid))).toBe(uuid)
  expect(batchId.parse(`job_${uuid}`)).toBeNull()
})
