import { describe } from 'vitest'
import { appending } from './contract/appending.ts'
import { chaining } from './contract/chaining.ts'
import { reading } from './contract/reading.ts'
import { scavenging } from './contract/scavenging.ts'
import { subscribing } from './contract/subscribing.ts'
import { truncating } from './contract/truncating.ts'
import type { EventStoreFactory } from './contract/fixture.ts'

export type { EventStoreFactory, EventStoreUnderTest } from './contract/fixture.ts'

/** What every EventStore must do, over every engine. `factory` is called once a test, for an empty log. */
export function describeEventStoreContract(name: string, factory: EventStoreFactory): void {
  describe(`event store: ${name}`, () => {
    describe('appending', () => {
      appending(factory)
    })
    describe('reading', () => {
      reading(factory)
    })
    describe('subscribing', () => {
      subscribing(factory)
    })
    describe('truncating', () => {
      truncating(factory)
    })
    describe('scavenging', () => {
      scavenging(factory)
    })
    describe('chaining', () => {
      chaining(factory)
    })
  })
}
