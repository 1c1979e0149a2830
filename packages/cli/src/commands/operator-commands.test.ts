import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SECOND_ACCOUNT } from '../testing/fake-admin.ts'
import { fakeContext } from '../testing/context.ts'
import { ok } from '../testing/wire.ts'

const context = fakeContext()
const { run, json } = context

describe('the operator’s commands', () => {
  test('accounts are named by name or id', async () => {
    expect((await run('accounts', 'list')).stdout).toMatch(/dev +active +\$9\.88 +standard/)
    expect(await json('accounts', 'create', 'Research', '--credit', '25', '--tier', 'free')).toMatchObject({
      name: 'Research',
      balance: 25,
    })
    expect((await run('accounts', 'suspend', 'dev')).stdout).toMatch(/state +suspended/)
    expect(context.server.requests.at(-2)!.body).toEqual({ state: 'suspended' })
    expect((await run('accounts', 'reinstate', 'a0000000-0000-4000-8000-000000000001')).stdout).toMatch(
      /active/,
    )
    expect((await run('accounts', 'tier', 'dev', 'enterprise')).stdout).toMatch(/tier +enterprise/)
    const unknown = await run('accounts', 'show', 'nobody')
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("no account 'nobody'")])
  })

  test('accounts are listed and found by their names on whichever page they are', async () => {
    const { accounts } = (await json('accounts', 'list')) as { accounts: { name: string }[] }
    expect(accounts.map(({ name }) => name)).toEqual(['dev', 'second'])
    await run('accounts', 'show', 'second')
    expect(context.server.requests.at(-1)!.path).toBe(`/admin/accounts/${SECOND_ACCOUNT}`)
  })

  test('money is credited once for a reference', async () => {
    const before = ((await json('accounts', 'show', 'dev')) as { balance: number }).balance
    await run('credits', 'add', 'dev', '2.50', '--reference', 'invoice-1')
    expect(await json('credits', 'add', 'dev', '2.50', '--reference', 'invoice-1')).toEqual({
      balance: before + 2.5,
    })
  })

  test('keys are listed, made, rotated and revoked', async () => {
    expect((await run('keys', 'list', 'dev')).stdout).toMatch(/testtest +CI +valid +read/)
    const made = await run('keys', 'create', 'dev', '--capabilities', 'read,write', '--label', 'CI')
    expect(made.stdout).toMatch(/^mlk_newnewne_secret\n/)
    expect(context.server.requests.at(-1)!.body).toEqual({ label: 'CI', capabilities: ['read', 'write'] })
    expect((await run('keys', 'rotate', 'dev', 'testtest', '--grace', '60')).stdout).toContain(
      'valid until 2026-11-20',
    )
    expect((await run('keys', 'revoke', 'dev', 'testtest')).stdout).toContain('testtest is revoked')
  })

  test('a rebuild is followed to its end, by events or by asking', async () => {
    const rebuilt = await run('projections', 'rebuild', 'catalog')
    expect(rebuilt.stdout).toMatch(/digest rebuilt +aaa\nidentical +yes/)
    expect(context.server.requests.at(-1)!.headers.accept).toBe('text/event-stream')
    expect((await run('projections', 'rebuild', 'accounts')).stdout).toMatch(/status +succeeded/)
    expect(context.server.requests.at(-1)!.headers.accept).toBe('application/json')
  })

  test('verify fails when the read model differs', async () => {
    expect((await run('projections', 'verify', 'catalog')).code).toBe(0)
    const { code, stdout } = await run('projections', 'verify', 'usage', '--json')
    expect([code, JSON.parse(stdout)]).toMatchObject([
      1,
      { result: { identical: false, digest_rebuilt: 'bbb' } },
    ])
  })

  test('verify without a name fails when any read model differs, and says of each what was found', async () => {
    const { code, stdout } = await run('projections', 'verify')
    expect(code).toBe(1)
    expect(context.server.requests.findLast(({ method }) => method === 'POST')!.body).toEqual({
      kind: 'projections-verify',
    })
    expect(stdout).toMatch(
      /identical +no\ncatalog +identical: aaa\nusage +aaa is in service, bbb is what the log tells\nwork +The log is away.\n/,
    )
  })

  test('the whole log is audited; what was done to it is a failure, a line each', async () => {
    const intact = await run('audit', 'verify')
    expect([intact.code, intact.stdout]).toEqual([0, expect.stringMatching(/intact +yes\nevents +41\n/)])
    const folder = await mkdtemp(join(tmpdir(), 'medialog-audit-'))
    const file = join(folder, 'exported.note')
    await run('audit', 'checkpoint', '--out', file)
    context.server.intercept(({ body }) =>
      body?.kind === 'audit-verify' ? ok({ operation_id: 'op-audit-verify-cut', status: 'running' }) : null,
    )
    const { code, stdout } = await run('audit', 'verify', '--checkpoint', file)
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining('missing position 7, revision 3 of media-a: it is gone\ncut its end is gone'),
    ])
    expect((await run('audit', 'verify', '--checkpoint', join(folder, 'none'))).code).toBe(2)
    await rm(folder, { recursive: true })
  })

  test('checkpoints and proofs are shown and written for a verifier', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'medialog-audit-'))
    const [old, proof] = [join(folder, 'old.note'), join(folder, 'proof.json')]
    const note = 'medialog/a\n41\ncm9vdA==\n\n— medialog/a c2lnbmF0dXJl\n'
    expect((await run('audit', 'checkpoint', '--out', old)).stdout).toBe(note)
    expect(await readFile(old, 'utf8')).toBe(note)
    expect((await run('audit', 'prove', 'media-a@3', '--out', proof)).stdout).toMatch(
      /7 +media-a@3 +3 +erased/,
    )
    expect(JSON.parse(await readFile(proof, 'utf8')).proofs).toHaveLength(1)
    expect(await json('audit', 'consistency', old)).toMatchObject({ from: 41, to: 41, old: note, new: note })
    expect((await run('audit', 'consistency', proof)).code).toBe(2)
    expect((await run('audit', 'checkpoint', '--out', join(folder, 'no', 'where'))).code).toBe(1)
    expect((await run('audit', 'key')).stdout).toMatch(/key +medialog\/a\+id\+key\nbefore +medialog\/a\+old/)
    await rm(folder, { recursive: true })
  })

  test('the log is proven; a broken chain is a failure, told with its place', async () => {
    const intact = await run('log', 'verify')
    expect([intact.code, intact.stdout]).toEqual([0, expect.stringMatching(/intact +yes\nevents +41\n$/)])
    context.server.intercept(({ method }) =>
      method === 'POST' ? ok({ operation_id: 'op-log-verify-broken', status: 'running' }) : null,
    )
    const { code, stdout } = await run('log', 'verify')
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /intact +no\nevents +41\nbad position 42, revision 3 of media-a: the payload .*\nbad position 77, ledger-b: it was deleted\n$/,
    )
    const asJson = await run('log', 'verify', '--json')
    expect([asJson.code, JSON.parse(asJson.stdout).result.findings]).toMatchObject([
      1,
      [{ position: 42, revision: 3 }, { position: 77 }],
    ])
    context.server.intercept(() => null)
  })

  test('a scavenge is followed to its end, and fails where a place keeps something; it can be stopped', async () => {
    const complete = await run('log', 'scavenge')
    expect([complete.code, complete.stdout]).toEqual([
      0,
      expect.stringMatching(
        /complete +yes\nfreed bytes +4096\n10\.0\.0\.1:2113 +done: what was erased is out/,
      ),
    ])
    context.server.intercept(({ method }) =>
      method === 'POST' ? ok({ operation_id: 'op-log-scavenge-partly', status: 'running' }) : null,
    )
    const partly = await run('log', 'scavenge', '--json')
    expect([partly.code, JSON.parse(partly.stdout).result]).toMatchObject([1, { complete: false }])
    context.server.intercept(() => null)
    const stopped = await run('log', 'scavenge', '--stop')
    expect([stopped.code, stopped.stdout]).toEqual([
      0,
      expect.stringMatching(/log-scavenge-stop[^]*stopped +1/),
    ])
  })

  test('embeddings are counted by their embedder; what is to be migrated is a failure', async () => {
    const { code, stdout } = await run('embeddings', 'status')
    expect(code).toBe(1)
    expect(stdout).toMatch(/to migrate +12 items: `medialog embeddings migrate`/)
    expect(stdout).toMatch(/first\/onnxruntime-node +12 +30 +2 +words/)
    expect(stdout).toMatch(/second@1a2b3c4d\/onnxruntime-node +3 +9 +1 +meaning/)
    const asJson = await run('embeddings', 'status', '--json')
    expect([asJson.code, JSON.parse(asJson.stdout).pending_items]).toEqual([1, 12])
  })

  test('a migration is followed to its end, and fails where something is left', async () => {
    const migrated = await run('embeddings', 'migrate')
    expect([migrated.code, migrated.stdout]).toEqual([
      0,
      expect.stringMatching(/embeddings-migrate[^]*reembedded +12\ngone +1\npending +0/),
    ])
    context.server.intercept(({ method }) =>
      method === 'POST' ? ok({ operation_id: 'op-embeddings-migrate-left', status: 'running' }) : null,
    )
    const left = await run('embeddings', 'migrate', '--json')
    expect([left.code, JSON.parse(left.stdout).result.pending]).toEqual([1, 2])
    context.server.intercept(() => null)
  })

  test('operations are listed and shown', async () => {
    expect((await run('operations', 'list')).stdout).toMatch(/projections-verify +catalog +succeeded +100 %/)
    expect((await run('operations', 'show', 'op-projections-verify-work', '--follow')).stdout).toContain(
      '2.5 s',
    )
  })
})
