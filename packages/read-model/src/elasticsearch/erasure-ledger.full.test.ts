import { describeWithEngine } from '@medialog/test/engines'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { testIndices } from '../testing/elasticsearch-engine.ts'
import { uuid } from '../testing/items.ts'
import { openElasticsearchErasureLedger } from './erasure-ledger.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

describeWithEngine('elasticsearch', 'which erasures were carried out, in Elasticsearch', (url) => {
  let indices: ReturnType<typeof testIndices>
  beforeEach(() => {
    indices = testIndices(url)
  })
  afterEach(() => indices.remove())

  const erasure = (media: string) => ({
    mediaId: uuid(media),
    ingestId: uuid(`${media}/1`),
  })

  test('what one eraser did every other knows, and how far all of it is done only grows', async () => {
    const [one, other] = [openElasticsearchErasureLedger(indices), openElasticsearchErasureLedger(indices)]
    expect(await other.doneBelow(9)).toBe(0)
    expect(await other.areDone([erasure('a')])).toEqual([false])
    await one.markErased(erasure('a'))
    await other.markErased(erasure('a'))
    expect(await other.areDone([erasure('b'), erasure('a')])).toEqual([false, true])
    await one.raise(5)
    await other.raise(3)
    expect(await other.doneBelow(9)).toBe(5)
  })

  test('one that says of what is still to come that it is done is thrown away', async () => {
    const ledger = openElasticsearchErasureLedger(indices)
    await ledger.markErased(erasure('a'))
    await ledger.raise(5)
    expect(await ledger.doneBelow(4)).toBe(0)
    expect(await ledger.doneBelow(9)).toBe(0)
    expect(await ledger.areDone([erasure('a')])).toEqual([false])
    await ledger.raise(2)
    expect(await ledger.doneBelow(9)).toBe(2)
  })
})
