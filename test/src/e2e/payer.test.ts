import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endedBatch } from '../harness/batches.ts'
import { useServer } from '../harness/suite.ts'
import { verified, verifiedInPython } from '../harness/third-party.ts'

const server = useServer()

let folder = ''
let key = ''
let payer: Awaited<ReturnType<typeof server.openAccount>>
let other: typeof payer
/** Of the payer: its ledger then, a checkpoint of then, its ledger later, and both ways to ask for it. */
let early = ''
let late = ''
let statement = ''
const at = (name: string): string => join(folder, name)
const text = async ({ client }: typeof payer, path: string): Promise<string> => {
  const { status, body } = await client.request('GET', path)
  expect(status, body).toBe(200)
  return typeof body === 'string' ? body : JSON.stringify(body)
}
// oxlint-disable-next-line typescript/no-explicit-any -- tests change any part of a line
type Line = any
const linesOf = (ndjson: string): Line[] =>
  ndjson
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
const inLines = (lines: readonly object[]): string =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join('')
const sizeOf = (ndjson: string): number => Number(linesOf(ndjson)[0].ledger.checkpoint.split('\n')[1])

/** What the scripts of a third party say of these files: the same, in both languages. */
async function says(what: 'ledger' | 'statement', ...files: string[]) {
  const paths = await Promise.all(
    files.map(async (content, index) => {
      await writeFile(at(`given-${index}`), content)
      return at(`given-${index}`)
    }),
  )
  const said = await verified(key, what, ...paths)
  const again = (await verifiedInPython(key, what, ...paths)) ?? said
  expect(again.code, `${said.said} | ${again.said}`).toBe(said.code)
  if (said.code === 0) expect(again.said).toBe(said.said)
  return said
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'medialog-payer-'))
  payer = await server.openAccount(5)
  other = await server.openAccount(5)
  key = (await server.client.request('GET', '/checkpoint-key')).body.data.key
  await payer.client.upload('first.txt', 'The ferry to Grímsey leaves in the morning.')
  await other.client.upload('first.txt', 'Another account pays for the same.')
  early = await text(payer, '/v1/audit/ledger/proof')
  // One of the two is paid back.
  const files = [
    { filename: 'bread.txt', bytes: 'Rye bread with caraway needs a day.' },
    {
      filename: 'broken.png',
      bytes: Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 1]),
    },
  ]
  await endedBatch(payer.client, (await payer.client.batch(files)).body.data.batch_id)
  await other.client.upload('second.txt', 'The other account again.')
  late = await text(payer, `/v1/audit/ledger/proof?since=${sizeOf(early)}`)
  statement = await text(payer, '/v1/audit/statement')
})
afterAll(() => rm(folder, { recursive: true }))

describe('a payer', () => {
  test('proves its ledger with nothing but what it downloaded', async () => {
    const said = await says('ledger', early)
    expect(said, said.said).toMatchObject({ code: 0, said: expect.stringContaining('a balance of 4.96 USD') })
    const now = await says('ledger', late, early)
    expect(now, now.said).toMatchObject({
      code: 0,
      said: expect.stringContaining('which continues what was kept'),
    })
    expect(now.said).toContain('charged 0.12 USD\nrefunded 0.04 USD')
    const [{ ledger }] = linesOf(early)
    expect(await says('ledger', late, ledger.checkpoint)).toMatchObject({ code: 0 })
    // The same again is under the same checkpoint: what others do meanwhile does not show.
    await other.client.upload('third.txt', 'Nobody else sees that this came in.')
    expect(linesOf(await text(payer, '/v1/audit/ledger/proof'))[0].ledger.checkpoint).toBe(
      linesOf(late)[0].ledger.checkpoint,
    )
  })

  test('proves what a statement says', async () => {
    const said = await says('statement', statement, late)
    expect(said, said.said).toMatchObject({ code: 0, said: expect.stringContaining('closing with 4.92 USD') })
    const { data } = JSON.parse(statement)
    expect(data.ledger.checkpoint).toBe(linesOf(late)[0].ledger.checkpoint)
    const [first] = data.postings
    for (const change of [
      { closing_balance: '4.9' },
      { opening_balance: '1' },
      { charged: '0.04' },
      { account_id: other.accountId },
      { postings: data.postings.slice(1) },
      { postings: data.postings.slice(0, -1) },
      { postings: [...data.postings, first] },
      { postings: [...data.postings].reverse() },
      { postings: [{ ...first, amount: '50' }, ...data.postings.slice(1)] },
      { postings: [{ ...first, at: data.from }, ...data.postings.slice(1)] },
      { postings: data.postings.map((one: object) => ({ ...one, lines: [] })) },
      { month: '2020-01' },
      { ledger: { ...data.ledger, revision: 0 } },
      { ledger: { ...data.ledger, hash: '0'.repeat(64) } },
      { ledger: { ...data.ledger, checkpoint: data.ledger.checkpoint.replace(/\n\d+\n/, '\n1\n') } },
    ])
      expect(
        await says('statement', JSON.stringify({ ...data, ...change }), late),
        JSON.stringify(change),
      ).toMatchObject({
        code: 1,
        said: expect.stringContaining('NOT PROVEN'),
      })
  })

  test('has a table that says whose it is, of which month, what it comes to, and by what it is proven', async () => {
    const rows = (await text(payer, '/v1/audit/statement?format=csv')).trimEnd().split('\r\n')
    const { data } = JSON.parse(statement)
    expect(rows).toHaveLength(data.postings.length + 1)
    const proof = `${data.ledger.stream}@${data.ledger.revision} ${data.ledger.hash} under ${sizeOf(late)} events of `
    const whole = `,${payer.accountId},${data.month},false,0,5,0.12,0.04,4.92,${proof}`
    for (const row of rows.slice(1)) expect(row).toContain(whole)
    const empty = await server.openAccount(0)
    const [, only, ...more] = (await text(empty, '/v1/audit/statement?format=csv')).trimEnd().split('\r\n')
    expect([only, more]).toEqual([`${','.repeat(18)}${empty.accountId},${data.month},false,0,0,0,0,0,`, []])
  })

  test('finds whatever was changed in the download', async () => {
    const [head, ...events] = linesOf(late)
    const { ledger } = head
    const foreign = linesOf(await text(other, '/v1/audit/ledger/proof'))
    const charge = events.findIndex(({ event }) => event.type === 'BalanceCharged')
    const changed = (index: number, change: (event: Line['event']) => object) =>
      inLines([head, ...events.map((line, n) => (n === index ? { event: change(line.event) } : line))])
    const headed = (change: object) => inLines([{ ledger: { ...ledger, ...change } }, ...events])
    const cases: { [what: string]: string } = {
      'an amount': changed(charge, (event) => ({ ...event, data: { ...event.data, amount: '1' } })),
      'an amount and its lines': changed(charge, (event) => ({
        ...event,
        data: { ...event.data, amount: '1', lines: [{ ...event.data.lines[0], amount: '1' }] },
      })),
      'a posting left out': inLines([head, ...events.slice(0, 1), ...events.slice(2)]),
      'a posting left out, and the count': inLines([
        { ledger: { ...ledger, events: events.length - 1 } },
        ...events.slice(0, 1),
        ...events.slice(2),
      ]),
      'the last posting left out': inLines([
        { ledger: { ...ledger, events: events.length - 1 } },
        ...events.slice(0, -1),
      ]),
      'two orders': inLines([head, events[1], events[0], ...events.slice(2)]),
      'an event twice': inLines([head, ...events, events.at(-1)]),
      'another account’s event': inLines([head, ...events.slice(0, -1), foreign.at(-1)]),
      'another account’s ledger': inLines([
        { ledger: { ...foreign[0].ledger, account_id: payer.accountId } },
        ...foreign.slice(1),
      ]),
      'the account': headed({ account_id: other.accountId }),
      'the key': headed({ key: ledger.key.replace('+', 'x+') }),
      'the checkpoint': headed({ checkpoint: ledger.checkpoint.replace(/\n\d+\n/, '\n9999\n') }),
      'the format': headed({ format: 'medialog ledger proof 2' }),
      'a place': headed({ head: { ...ledger.head, index: ledger.head.index + 1 } }),
      'the last hash': headed({
        head: { ...ledger.head, leaf: { ...ledger.head.leaf, hash: '0'.repeat(64) } },
      }),
      'a path': headed({ head: { ...ledger.head, hashes: ledger.head.hashes.slice(1) } }),
      'a line': inLines([head, ...events, { note: 'all is well' }]),
      'a line with more': inLines([head, { ...events[0], note: 'more' }, ...events.slice(1)]),
      nothing: '',
      ...Object.fromEntries(
        Object.keys(events[1].event).map((name) => [
          `the event’s ${name}`,
          changed(1, (event) => ({
            ...event,
            [name]: name === 'data' ? {} : name === 'metadata' ? { actor: 'x' } : 7,
          })),
        ]),
      ),
      'an event’s hash left out': changed(1, (event) => ({ ...event, hash: undefined })),
      'something added': changed(1, (event) => ({ ...event, position: 1 })),
    }
    for (const [what, download] of Object.entries(cases))
      expect(await says('ledger', download), what).toMatchObject({ code: 1 })
    expect(Object.keys(cases).length).toBeGreaterThan(28)
  })

  test('finds a log that was begun again, or is older than what it kept', async () => {
    const [{ ledger }] = linesOf(late)
    const hashes = ledger.consistency.hashes
    const without = inLines([{ ledger: { ...ledger, consistency: null } }, ...linesOf(late).slice(1)])
    const cut = inLines([
      { ledger: { ...ledger, consistency: { ...ledger.consistency, hashes: hashes.slice(1) } } },
      ...linesOf(late).slice(1),
    ])
    expect(await says('ledger', early, late)).toMatchObject({
      code: 1,
      said: expect.stringContaining('older'),
    })
    expect(await says('ledger', without, early)).toMatchObject({
      code: 1,
      said: expect.stringContaining('since='),
    })
    expect(await says('ledger', cut, early)).toMatchObject({ code: 1 })
    const foreign = await text(other, `/v1/audit/ledger/proof?since=${sizeOf(early)}`)
    expect(await says('ledger', foreign, early)).toMatchObject({
      code: 1,
      said: expect.stringContaining('begin'),
    })
  })

  test('has it on the command line, and what it kept continued', async () => {
    const uploaded = await server.client.upload('own.txt', 'Of the account that the command line has.')
    const prove = (...args: string[]) => server.cli('audit', 'prove', ...args)
    expect(await prove('--out', at('kept.ndjson'))).toMatchObject({ code: 0, answer: { events: 3 } })
    await server.client.upload('more.txt', 'And some more of it.')
    expect((await prove('--since', at('kept.ndjson'), '--out', at('now.ndjson'))).code).toBe(0)
    expect(await verified(key, 'ledger', at('now.ndjson'), at('kept.ndjson'))).toMatchObject({ code: 0 })
    expect((await prove('--account', payer.accountId, '--out', at('payer.ndjson'))).code).toBe(0)
    expect(await verified(key, 'ledger', at('payer.ndjson'))).toMatchObject({ code: 0 })
    expect(await prove(uploaded.body.data.media_id, '--since', at('kept.ndjson'))).toMatchObject({ code: 2 })
    expect(await prove('--since', at('own.json'))).toMatchObject({ code: 2 })
  })

  test('has its proof alone, and an account without postings has none', async () => {
    const own = await text(other, '/v1/audit/ledger/proof')
    expect(own).not.toContain(payer.accountId)
    const empty = await server.openAccount(0)
    const none = await empty.client.request('GET', '/v1/audit/ledger/proof')
    expect([none.status, none.body.error?.code]).toEqual([404, 'RESOURCE_NOT_FOUND'])
    for (const since of ['999999', '0', '-1', '1.5', ''])
      expect(await payer.client.request('GET', `/v1/audit/ledger/proof?since=${since}`), since).toMatchObject(
        {
          status: 400,
          body: { error: { code: 'VALIDATION_ERROR', details: { parameter: 'since' } } },
        },
      )
    const operator = await server.operator.request('GET', `/admin/accounts/${payer.accountId}/ledger/proof`)
    expect(await says('ledger', operator.body)).toMatchObject({ code: 0 })
  })
})

test('an account proves its own events, and finds no other account’s', async () => {
  const { body } = await payer.client.upload('mine.txt', 'Of the payer alone.')
  const id = body.data.media_id
  const proven = await payer.client.request('GET', `/v1/audit/proofs?subject=${id}`)
  await writeFile(at('own.json'), JSON.stringify(proven.body.data))
  expect(await verified(key, 'events', at('own.json'))).toMatchObject({ code: 0 })
  const revision = `ledger-${payer.accountId}@0`
  expect((await payer.client.request('GET', `/v1/audit/proofs?subject=${revision}`)).status).toBe(200)
  const { position } = proven.body.data.proofs[0].leaf
  for (const subject of [id, revision, String(position), `media-${id.slice(4)}@0`]) {
    const refused = await other.client.request('GET', `/v1/audit/proofs?subject=${subject}`)
    expect([refused.status, refused.body.error.code], subject).toEqual([404, 'RESOURCE_NOT_FOUND'])
  }
  // An account reads no streams of keys, kept answers and checkpoints.
  for (const subject of [
    `account-${payer.accountId}@0`,
    'checkpoints-log@0',
    'x',
    `request-${payer.accountId}@0`,
  ])
    expect((await payer.client.request('GET', `/v1/audit/proofs?subject=${subject}`)).status, subject).toBe(
      404,
    )
  expect(await readFile(at('own.json'), 'utf8')).not.toContain(other.accountId)
})
