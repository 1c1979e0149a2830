import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { fakeContext } from '../testing/context.ts'
import { refused } from '../testing/wire.ts'
import { medialog } from '../testing/medialog.ts'

const context = fakeContext()
const { run, json } = context
beforeAll(() => writeFileSync(join(context.folder, 'broken.pdf'), '%PDF'))

const creations = () =>
  context.server.requests.filter(({ method, path }) => method === 'POST' && path === '/v1/batches')

// Each run is a process of its own: many of them take a while on a busy machine.
describe('batch', { timeout: 120_000 }, () => {
  test('create sends all files in one form and says how to go on', async () => {
    const { code, stdout } = await run(
      'batch',
      'create',
      'one.txt',
      'two.txt',
      '-c',
      'notes',
      '--overwrite',
      '--name',
      'Über "alles"',
    )
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^✓ batch_1 {2}2 files in notes, \$0\.08 charged\nabout 4\.0 s: medialog batch show batch_1 --follow\n$/,
    )
    const { files, body, headers } = creations().at(-1)!
    expect(files!.map(({ filename, bytes }) => [filename, bytes.toString()])).toEqual([
      ['one.txt', 'text one'],
      ['two.txt', 'text two'],
    ])
    expect(body).toEqual({
      collection_id: 'notes',
      force_overwrite: 'true',
      batch_options: '{"batch_name":"Über \\"alles\\""}',
    })
    expect(headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/)
  })

  test('create --follow waits, shows what became of each file, and fails when one did', async () => {
    const { code, stdout } = await run('batch', 'create', 'one.txt', 'broken.pdf', '--follow')
    expect(code).toBe(1)
    expect(stdout).toMatch(/^FILE +OUTCOME +ITEM +TYPE +SIZE$/m)
    expect(stdout).toMatch(
      /^one\.txt +stored +vec-0 +document +1200 B$|^one\.txt +stored +vec-0 +document +1\.2 kB$/m,
    )
    expect(stdout).toMatch(/^broken\.pdf +corrupted_file/m)
    expect(stdout).toContain('corrupted_file 1 file: Repair it.')
    expect(stdout).toContain('$0.04 ($0.08 charged, $0.04 refunded)')
    const followed = await medialog(['batch', 'create', 'one.txt', '--follow', '--json'], {
      env: context.env,
      cwd: context.folder,
    })
    expect([followed.code, JSON.parse(followed.stdout)]).toMatchObject([
      0,
      {
        batches: [{ batch: { status: 'completed' }, results: { job_results: [{ filename: 'one.txt' }] } }],
        skipped_files: [],
      },
    ])
  })

  test('more files than a batch may have are several batches; in a folder, those of no supported type are skipped', async () => {
    const many = join(context.folder, 'many')
    mkdirSync(many)
    for (let n = 10; n < 38; n++) writeFileSync(join(many, `${n}.txt`), `text ${n}`)
    writeFileSync(join(many, '11.xyz'), 'unknown')
    const made = (await json('batch', 'create', 'many', '--name', 'Many')) as {
      batches: { total_items: number }[]
      skipped_files: string[]
    }
    expect(made.batches.map(({ total_items: files }) => files)).toEqual([24, 4])
    expect(made.skipped_files).toEqual([join(many, '11.xyz')])
    const { code, stdout } = await run('batch', 'create', 'many', '--follow')
    expect([code, stdout]).toEqual([0, expect.stringContaining('- many/11.xyz  not of a supported type')])
    const named = await run('batch', 'create', 'many', 'many/11.xyz')
    expect([named.code, named.stderr]).toEqual([1, expect.stringContaining('cannot be processed')])
  })

  test('batches made before one is refused are shown', async () => {
    let tries = 0
    context.server.intercept(({ path }) =>
      path === '/v1/batches' && ++tries === 3
        ? refused(403, 'INSUFFICIENT_FUNDS', 'Too little money.')
        : null,
    )
    const { code, stdout, stderr } = await run('batch', 'create', 'many')
    context.server.intercept(() => null)
    expect([code, stderr]).toEqual([1, expect.stringContaining('Too little money.')])
    expect(stdout).toMatch(/- many.11\.xyz .*\n✓ batch_\d+ {2}24 files/)
  })

  test('a busy server is asked again under the same key', async () => {
    let tries = 0
    context.server.intercept(({ path }) =>
      path === '/v1/batches' && tries++ === 0
        ? refused(503, 'SERVICE_UNAVAILABLE', 'Busy.', {}, { 'retry-after': '0' })
        : null,
    )
    const before = creations().length
    await json('batch', 'create', 'one.txt')
    context.server.intercept(() => null)
    const keys = creations()
      .slice(before)
      .map(({ headers }) => headers['idempotency-key'])
    expect([keys.length, new Set(keys).size]).toEqual([2, 1])
  })

  test('list, show, results and cancel', async () => {
    const made = (await json('batch', 'create', 'one.txt', 'two.txt', '--name', 'Papers')) as {
      batches: { batch_id: string }[]
    }
    const id = made.batches[0]!.batch_id
    expect((await run('batch', 'list')).stdout).toMatch(
      new RegExp(`^${id} +running +0 % +2 +0 +\\$0\\.08 +Papers`, 'm'),
    )
    expect((await run('batch', 'results', id)).stdout).toBe('No file is done yet.\n')
    expect((await run('batch', 'show', id)).stdout).toMatch(/^Papers\nbatch +batch_\d+\nstatus +running$/m)
    expect((await run('batch', 'cancel', id)).stdout).toContain(
      `${id} cancelled; what was not done is refunded`,
    )
    expect((await run('batch', 'cancel', id)).stdout).toContain('was cancelled already')
    expect(await json('batch', 'show', id, '--follow')).toMatchObject({ status: 'cancelled' })
  })

  test('show names a file at work that takes long, and how far it is', async () => {
    writeFileSync(join(context.folder, 'long.wav'), 'sound')
    const { batches } = (await json('batch', 'create', 'long.wav')) as { batches: { batch_id: string }[] }
    expect((await run('batch', 'show', batches[0]!.batch_id)).stdout).toMatch(/^at work +long\.wav 40 %$/m)
  })

  test('what is not there is said, and wrong usage too', async () => {
    const missing = await run('batch', 'show', 'batch_9999')
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('no such batch')])
    for (const [args, said] of [
      [['create'], 'Missing required argument'],
      [['create', 'nowhere.txt'], 'no file or folder nowhere.txt'],
      [['list', '--status', 'lost'], 'Allowed choices are created'],
    ] as const) {
      const { code, stderr } = await run('batch', ...args)
      expect([code, stderr]).toEqual([2, expect.stringContaining(said)])
    }
  })
})
