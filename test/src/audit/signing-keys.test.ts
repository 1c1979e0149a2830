import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { FormerKey } from '@medialog/application'
import { encodeEvent } from '@medialog/contract'
import { noteSigner, parseVerifierKey, signNote, verifierKey } from '@medialog/contract/signed-note'
import type { CheckpointEvent } from '@medialog/domain'
import { openSqliteEventStore } from '@medialog/event-store'
import { newEvent } from '@medialog/event-store/testing/events'
import { temporaryFolder } from '@medialog/event-store/testing/folder'
import { expect, test } from 'vitest'
import { auditLog, history, newKey, type AuditOptions } from './audited-log.ts'

const SCRIPT = new URL('../../../docs/verify-checkpoint.mjs', import.meta.url).pathname
const [first, second, third, forger] = [newKey(), newKey(), newKey(), newKey()]
const publicOf = (pem: string): FormerKey => ({ publicKey: noteSigner(pem).publicKey })

/** A log with a checkpoint by the first key. */
async function signedLog() {
  const folder = await temporaryFolder()
  const store = await openSqliteEventStore({ path: folder.log })
  let log = auditLog(store, join(folder.path, 'leaves.sqlite'), { key: first })
  const note = await history(store, log)
  return {
    folder: folder.path,
    store,
    note,
    /** The same log in a service that was restarted with other keys. */
    async restarted(options: AuditOptions) {
      await log.close()
      log = auditLog(store, join(folder.path, 'leaves.sqlite'), options)
      return log
    },
    /** Appends as an attacker does that can write to the log and has none of its keys. */
    async plant(event: CheckpointEvent) {
      const { type, version, data } = encodeEvent(event)
      for await (const { revision } of store.read('checkpoints-log', { direction: 'backwards', limit: 1 }))
        await store.append('checkpoints-log', revision, [{ ...newEvent(data, type), version }])
    },
    async [Symbol.asyncDispose]() {
      await log.close()
      await store.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}

const nameOf = (note: string): string => note.split('\n')[0]!
const keyOf = (pem: string, name: string): string =>
  verifierKey({ name, publicKey: noteSigner(pem).publicKey })

test('a key is not trusted for being in the log, and what it signed is named', async () => {
  await using it = await signedLog()
  const name = nameOf(it.note)
  const text = it.note.slice(0, it.note.lastIndexOf('\n\n') + 1)
  const key = keyOf(forger, name)
  const forged = {
    size: 17,
    root: '0'.repeat(64),
    note: signNote(text, name, noteSigner(forger)),
    key,
    at: 1,
  }
  await it.plant({ type: 'LogCheckpointed', ...forged })
  const log = await it.restarted({ key: first })
  expect(await log.keys()).toEqual({ current: keyOf(first, name), former: [], handovers: [] })
  const { findings, checkpoints } = await log.verify()
  expect(findings).toMatchObject([{ what: 'inserted', stream: 'checkpoints-log', revision: 1 }])
  expect(checkpoints).toBe(1)
  await expect(log.verify(forged.note)).rejects.toThrow('no signature of a known key')
})

test('a note that is not what its own key signed was changed', async () => {
  await using it = await signedLog()
  const note = it.note.replace('\n17\n', '\n16\n')
  await it.plant({
    type: 'LogCheckpointed',
    size: 16,
    root: '0'.repeat(64),
    note,
    key: keyOf(first, nameOf(note)),
    at: 1,
  })
  const { findings } = await (await it.restarted({ key: first })).verify()
  expect(findings).toMatchObject([{ what: 'changed', stream: 'checkpoints-log', revision: 1 }])
})

test('nor does a forger hand over to the present key, or from it', async () => {
  await using it = await signedLog()
  const name = nameOf(it.note)
  const [key, mine] = [keyOf(first, name), keyOf(forger, name)]
  const handover = (former: string, next: string) =>
    signNote(
      `${[name, 'medialog signing key handover', former, next].join('\n')}\n`,
      name,
      noteSigner(forger),
    )
  for (const [former, next] of [
    [mine, key],
    [key, mine],
  ] as const)
    await it.plant({ type: 'SigningKeyReplaced', former, key: next, note: handover(former, next), at: 1 })
  const log = await it.restarted({ key: first })
  expect(await log.keys()).toEqual({ current: key, former: [], handovers: [] })
  expect((await log.verify(it.note)).found).toBe(0)
})

test('each key is trusted that the present one followed, one by one; who knows the first finds the present one', async () => {
  await using it = await signedLog()
  const name = nameOf(it.note)
  const unnamed = await it.restarted({ key: second })
  expect((await unnamed.verify()).findings).toMatchObject([
    { what: 'inserted', reason: expect.stringContaining('MEDIALOG_FORMER_CHECKPOINT_KEY') as string },
  ])
  await (await it.restarted({ key: second, former: noteSigner(first) })).checkpoint()
  // What is named is trusted at once, and what that followed.
  const named = await it.restarted({ key: third, former: noteSigner(second) })
  expect((await named.keys()).former).toEqual([keyOf(first, name), keyOf(second, name)])
  await named.checkpoint()
  await named.checkpoint()
  const log = await it.restarted({ key: third })
  const { current, former, handovers } = await log.keys()
  expect([...former, current]).toEqual([first, second, third].map((pem) => keyOf(pem, name)))
  expect(await log.verify(it.note)).toMatchObject({ found: 0, checkpoints: 4 })

  let known = former[0]!
  for (const note of handovers) {
    await writeFile(join(it.folder, 'handover.note'), note)
    const { stdout } = await promisify(execFile)(process.execPath, [
      SCRIPT,
      known,
      'handover',
      join(it.folder, 'handover.note'),
    ])
    known = /the next key is (\S+)/.exec(stdout)![1]!
  }
  expect(known).toBe(current)
})

test('a former key whose private half is gone is named by its public one', async () => {
  await using it = await signedLog()
  await (await it.restarted({ key: second, former: publicOf(first) })).checkpoint()
  const log = await it.restarted({ key: second })
  expect((await log.keys()).former).toEqual([keyOf(first, nameOf(it.note))])
  expect((await log.verify(it.note)).found).toBe(0)
  expect(parseVerifierKey((await log.keys()).current).publicKey).toEqual(noteSigner(second).publicKey)
})

test('what cannot be read among checkpoints is a finding, also beside one that was brought', async () => {
  await using it = await signedLog()
  await it.store.append('checkpoints-log', 0, [newEvent({}, 'WebhooksErased')])
  const log = await it.restarted({ key: first })
  const { findings } = await log.verify(it.note)
  expect(findings.map(({ what, revision }) => [what, revision])).toEqual([
    ['changed', 1],
    ['inserted', 1],
  ])
})
