import { join } from 'node:path'
import type { Finding } from '@medialog/application'
import { firstPrev } from '@medialog/event-store/chain'
import { openEventStoreDb } from '@medialog/event-store/eventstoredb/store'
import { chained } from '@medialog/event-store/eventstoredb/stored-event'
import { encodeEvent } from '@medialog/event-store/encoded-event'
import { newEvent } from '@medialog/event-store/testing/events'
import { startEventStoreDbDouble } from '@medialog/event-store/testing/eventstoredb/double'
import type { ServerLog } from '@medialog/event-store/testing/eventstoredb/server-log'
import { temporaryFolder } from '@medialog/event-store/testing/folder'
import { expect, test, vi } from 'vitest'
import { auditLog, history } from './audited-log.ts'

vi.setConfig({ testTimeout: 120_000 })

async function audited() {
  const folder = await temporaryFolder()
  const server = await startEventStoreDbDouble()
  const store = await openEventStoreDb({ url: server.url })
  const log = auditLog(store, join(folder.path, 'leaves.sqlite'))
  const note = await history(store, log)
  return {
    server,
    log,
    note,
    async [Symbol.asyncDispose]() {
      await log.close()
      await store.close()
      await server[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

const find = (log: ServerLog, stream: string, revision: number) =>
  log.all.find((event) => event.stream === `medialog.${stream}` && event.revision === revision)!
const at = (log: ServerLog, stream: string, revision: number) => find(log, stream, revision).position

const flip = (text: Uint8Array): Uint8Array => Buffer.from(Buffer.from(text).toString().replace('3', '2'))

const HANDS: Record<string, { hand: (log: ServerLog) => void; findings: Partial<Finding>[] }> = {
  'a byte of a payload flipped': {
    hand: (log) => log.tamper(at(log, 'media-a', 3), { data: flip(find(log, 'media-a', 3).data) }),
    findings: [
      { what: 'changed', stream: 'media-a', revision: 3, reason: 'the payload is not the one recorded' },
    ],
  },
  'a type changed': {
    hand: (log) => log.tamper(at(log, 'media-a', 3), { type: 'MediaOverwritten' }),
    findings: [
      { what: 'changed', stream: 'media-a', revision: 3, reason: 'the header is not the one recorded' },
    ],
  },
  'an event that the service did not write in the place of one': {
    hand: (log) => log.tamper(at(log, 'media-a', 3), { metadata: Buffer.from('{}') }),
    findings: [{ what: 'changed', stream: 'media-a', revision: 3 }],
  },
  'events taken out, the last of a stream among them': {
    hand(log) {
      log.takeOut(at(log, 'media-a', 3))
      log.takeOut(at(log, 'media-b', 5))
    },
    findings: [
      { what: 'missing', stream: 'media-a', revision: 3 },
      { what: 'missing', stream: 'media-b', revision: 5 },
    ],
  },
  'the tail cut off': {
    hand(log) {
      log.takeOut(at(log, 'checkpoints-log', 0))
      log.takeOut(at(log, 'media-a', 7))
    },
    findings: [
      { what: 'missing', stream: 'media-a', revision: 7 },
      { what: 'missing', stream: 'checkpoints-log', revision: 0 },
    ],
  },
  'two events of different streams exchanged': {
    hand: (log) => log.exchange(at(log, 'media-a', 3), at(log, 'media-b', 3)),
    findings: [
      { what: 'reordered', stream: 'media-b', revision: 3 },
      { what: 'reordered', stream: 'media-a', revision: 3 },
    ],
  },
  'an event put in between': {
    hand(log) {
      const [made] = chained('media-z', -1, firstPrev('media-z'), [encodeEvent(newEvent({ number: 1 }))])
      const { id, type, data, metadata } = made!
      const position = at(log, 'media-b', 3) - 1
      const bytes = (value: unknown) => Buffer.from(JSON.stringify(value))
      log.putIn({
        ...find(log, 'media-b', 3),
        id,
        type,
        stream: 'medialog.media-z',
        revision: 0,
        position,
        data: bytes(data),
        metadata: bytes(metadata),
      })
    },
    findings: [{ what: 'inserted', stream: 'media-z', revision: 0 }],
  },
}

test.each(Object.keys(HANDS))('%s: found and named', async (hand) => {
  await using it = await audited()
  const good = { events: 16, erased: 2, found: 0, checkpoints: 2 }
  expect(await it.log.verify(it.note)).toMatchObject(good)
  const { hand: change, findings } = HANDS[hand]!
  change(it.server.log)
  const report = await it.log.verify()
  expect(report.findings).toMatchObject(findings)
  expect(report.found).toBe(findings.length)
})

test('what was lawfully erased is not missing once the server was scavenged', async () => {
  await using it = await audited()
  it.server.log.scavenge()
  expect(await it.log.verify(it.note)).toMatchObject({ events: 16, erased: 2, found: 0, checkpoints: 2 })
})
