import { afterAll, beforeAll, expect, test } from 'vitest'
import { KEY, startEdge, type Edge } from '../testing/edge.ts'
import { RawClient } from '../testing/raw.ts'
import { BodyBudget } from './body-budget.ts'

/** Names of bodies that were refused, in order. */
function opened(budget: { mostOfOne: number; most: number }) {
  const bodies = new BodyBudget(budget)
  const refused: string[] = []
  const begin = (caller: string, name: string) => {
    const body = bodies.begin(caller, () => {
      refused.push(name)
      body.end()
    })
    return body
  }
  return { begin, refused }
}

test('a caller has so many bytes at once, however many bodies they are in', () => {
  const { begin, refused } = opened({ mostOfOne: 10, most: 100 })
  const [first, second] = [begin('a', 'first'), begin('a', 'second')]
  first.add(6)
  second.add(4)
  expect(refused).toEqual([])
  begin('b', 'other').add(10)
  second.add(1)
  expect(refused).toEqual(['second'])
  begin('a', 'third').add(4)
  first.end()
  begin('a', 'fourth').add(6)
  expect(refused).toEqual(['second'])
})

test('where all are too many, it is the caller that has the most who is refused', () => {
  const { begin, refused } = opened({ mostOfOne: 60, most: 100 })
  begin('greedy', 'small').add(10)
  begin('greedy', 'large').add(50)
  const other = begin('other', 'other')
  other.add(30)
  other.add(15)
  expect(refused).toEqual(['large'])
  other.add(10)
  expect(refused).toEqual(['large'])
})

let edge: Edge
beforeAll(async () => {
  edge = await startEdge()
})
afterAll(() => edge[Symbol.asyncDispose]())

test('bodies that are never finished take a bounded part of memory', async () => {
  const size = 4 * 1024 * 1024
  const head = `POST /mcp HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${KEY}\r\nContent-Type: application/json\r\nContent-Length: ${size}\r\n\r\n`
  const clients = Array.from({ length: 24 }, () => new RawClient(edge.server.address.port))
  for (const client of clients) client.write(head).write(Buffer.alloc(size - 1, 32))
  const refused = await Promise.race(clients.map((client) => client.answer()))
  expect(refused.status).toBe(429)
  expect(refused.headers.toLowerCase()).toContain('retry-after')
  for (const client of clients) client.close()
})
