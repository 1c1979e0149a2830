import type { Client } from '@elastic/elasticsearch'
import { expect, test } from 'vitest'
import type { Write } from './bulk.ts'
import { Writing } from './writing.ts'

const LARGE = 'x'.repeat(5 * 2 ** 20)

/** What is asked for by batches that write so often, each time documents with these texts. */
async function written(writes: readonly (readonly string[])[], refresh = true) {
  const refreshes: boolean[] = []
  const bulk = async ({
    refresh: asked = false,
    operations,
  }: {
    refresh?: boolean
    operations: unknown[]
  }) => {
    refreshes.push(asked)
    return { items: Array.from({ length: operations.length / 2 }, () => ({ index: { status: 201 } })) }
  }
  const client = { bulk } as unknown as Client
  const writing = new Writing({ client, index: 'any', allowed: Promise.resolve(), refresh })
  for (const [at, texts] of writes.entries()) await writing.write(documents(texts), at === writes.length - 1)
  return { refreshes, isSeen: writing.isSeen }
}

async function* documents(texts: readonly string[]): AsyncGenerator<Write> {
  for (const [at, text] of texts.entries())
    yield { id: `${at}`, routing: 'r', version: 1, document: { text } }
}

test.each([
  ['one request makes itself seen', [[], ['a', 'b']], [true], true],
  ['nothing is nothing to be seen', [[], []], [], true],
  ['one that something might have come after does not', [['a'], []], [false], false],
  ['the last one makes those before it seen', [['a'], ['b']], [false, true], true],
  ['also of several of one size', [[LARGE, 'b']], [false, true], true],
])('%s', async (_, writes, refreshes, isSeen) => {
  expect(await written(writes)).toEqual({ refreshes, isSeen })
})

test('does not refresh an index that is not read', async () => {
  expect(await written([['a']], false)).toEqual({ refreshes: [false], isSeen: false })
})

test('a writer that may not writes nothing', async () => {
  const allowed = Promise.reject(new Error('Another writes.'))
  const writing = new Writing({ client: {} as Client, index: 'any', allowed, refresh: true })
  await expect(writing.write(documents(['a']), true)).rejects.toThrow('Another writes.')
})
