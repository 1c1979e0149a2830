import { DomainError, type Decider } from '@medialog/kernel'
import { describe, expect, test } from 'vitest'
import { given } from './given-when-then.ts'

class TooMuch extends DomainError {
  readonly most: number

  constructor(most: number) {
    super('TOO_MUCH', 'Too much.')
    this.most = most
  }
}

type Added = { type: 'Added'; by: number }

const counter: Decider<{ add: number[] }, Added, { total: number }> = {
  initialState: () => ({ total: 0 }),
  evolve: (state, event) => ({ total: state.total + event.by }),
  decide({ add }, state) {
    if (state.total + add.length > 3) throw new TooMuch(3)
    return add.map((by) => ({ type: 'Added', by }))
  },
}
const careless: typeof counter = {
  ...counter,
  decide(command, state) {
    state.total++
    return counter.decide(command, state)
  },
}
const added = (by: number): Added => ({ type: 'Added', by })

describe('given / when / then', () => {
  test('passes on the very events, in their order', () => {
    given(counter, added(1))
      .when({ add: [1, 2] })
      .then(added(1), added(2))
    given(counter, added(1)).when({ add: [] }).thenNothing()
    given(counter, added(3))
      .when({ add: [1] })
      .thenFails(TooMuch, { most: 3, code: 'TOO_MUCH' })
  })

  test.each<[string, () => void]>([
    [
      'another order',
      () =>
        given(counter)
          .when({ add: [1, 2] })
          .then(added(2), added(1)),
    ],
    [
      'an event too many',
      () =>
        given(counter)
          .when({ add: [1, 2] })
          .then(added(1)),
    ],
    [
      'something instead of nothing',
      () =>
        given(counter)
          .when({ add: [1] })
          .thenNothing(),
    ],
    [
      'no refusal',
      () =>
        given(counter)
          .when({ add: [1] })
          .thenFails(TooMuch),
    ],
    [
      'another refusal',
      () =>
        given(counter, added(3))
          .when({ add: [1] })
          .thenFails(RangeError),
    ],
    [
      'other details',
      () =>
        given(counter, added(3))
          .when({ add: [1] })
          .thenFails(TooMuch, { most: 4 }),
    ],
    [
      'a decision that changes the state',
      () =>
        given(careless)
          .when({ add: [1] })
          .then(added(1)),
    ],
  ])('fails on %s', (_, claim) => {
    expect(claim).toThrow(/expected|refused/)
  })
})
