import { expect } from 'vitest'
import type { Answer } from './client.ts'

/** Shows the body of an answer with another status. */
export function expectStatus({ status, body }: Pick<Answer, 'status' | 'body'>, expected: number): void {
  expect(status, JSON.stringify(body)).toBe(expected)
}
