import { describe, expect, test } from 'vitest'
import { fold } from '@medialog/kernel'
import { checkpoints, type CheckpointEvent } from './checkpoints.ts'

const at = 1_795_168_800_000
const of = (size: number, key = 'a') => ({ size, root: `root of ${size}`, note: `note of ${size}`, key, at })
const recorded = (size: number, key?: string): CheckpointEvent => ({
  type: 'LogCheckpointed',
  ...of(size, key),
})
const decide = (history: CheckpointEvent[], size: number, key?: string) =>
  checkpoints.decide({ type: 'RecordCheckpoint', ...of(size, key) }, fold(checkpoints, history))

describe('a checkpoint', () => {
  test('is recorded where the log has grown', () => {
    expect(decide([], 10)).toEqual([recorded(10)])
    expect(decide([recorded(10)], 11)).toEqual([recorded(11)])
    expect(fold(checkpoints, [])).toEqual({ last: null })
  })

  test('is not made of what a later one covers', () => {
    expect(decide([recorded(10)], 10)).toEqual([])
    expect(decide([recorded(10)], 9, 'b')).toEqual([])
  })

  test('of the same events is recorded again once another key signs', () => {
    expect(decide([recorded(10)], 10, 'b')).toEqual([recorded(10, 'b')])
  })
})

test('a handover of the key changes nothing about what was signed last', () => {
  const handover = { former: 'a', key: 'b', note: 'signed by both', at }
  const recording = { type: 'RecordHandover', ...handover } as const
  const replaced = { type: 'SigningKeyReplaced', ...handover } as const
  expect(checkpoints.decide(recording, fold(checkpoints, [recorded(10)]))).toEqual([replaced])
  expect(decide([recorded(10), replaced], 10)).toEqual([])
})
