import { readFile, writeFile } from 'node:fs/promises'
import { ERROR_BODIES, routes, type OperationId, type RouteContract } from '@medialog/contract/http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasField } from './fields.ts'
import { contractPage, type Section, type ShownRow } from './page.ts'
import { plain } from './plain-requests.ts'
import { SAMPLES, ready } from './samples.ts'
import { serve, type Served } from './served.ts'
import { SHOWN_ANSWERS } from './shown-answers.ts'
import { SHOWN_HEADERS, SHOWN_PRICES } from './shown-headers.ts'
import { SHOWN_LIMITS, type Shown } from './shown-limits.ts'
import { SHOWN_STATES } from './shown-states.ts'
import {
  ANSWERS,
  CAPABILITIES,
  ERROR_DETAILS,
  FIELDS,
  HEADERS,
  LIMITS,
  PRICES,
  STATES,
} from './specification.ts'
import { expectStatus } from '../harness/expect-status.ts'

const PAGE = new URL('../../../docs/contract.md', import.meta.url)

let served: Served
const sections: Section[] = []
beforeAll(async () => {
  served = await serve()
  await ready(served)
}, 240_000)
afterAll(() => served.close())

/** The rows of a section, to be filled in by its tests. */
function section(
  title: string,
  text: string,
  rows: readonly string[],
  byOperation?: true,
): (row: string) => ShownRow {
  const shown = rows.map((row): ShownRow => ({ row }))
  sections.push({ title, text, rows: shown, ...(byOperation && { byOperation }) })
  return (row) => shown.find((candidate) => candidate.row === row)!
}

describe('answers', () => {
  const rows = Object.entries(ANSWERS).flatMap(([operation, answers]) =>
    [...new Set(answers.split(', '))].map((answer) => `${operation} ${answer}`),
  )
  const rowOf = section('Answers', 'Status and code of every endpoint.', rows, true)
  const detailOf = section(
    'Details of refusals',
    'What `details` holds besides the request’s id: looked at with the answer itself.',
    Object.entries(ERROR_DETAILS).flatMap(([row, names]) => names.map((name) => `${row}: ${name}`)),
    true,
  )
  test('every row has a test or a reason, and nothing else has', () => {
    expect([...SHOWN_ANSWERS.keys()].sort()).toEqual([...rows].sort())
  })
  for (const [row, shown] of SHOWN_ANSWERS) {
    if ('cannot' in shown) {
      Object.assign(rowOf(row), shown)
      continue
    }
    test(`${row}: ${shown.how}`, async () => {
      const [operation, status, code] = row.split(' ') as [OperationId, string, string?]
      const { status: answered, body } = await shown.ask(served)
      const told = JSON.stringify(body).slice(0, 500)
      expect([answered, body.error?.code ?? body.code], told).toEqual([Number(status), code])
      if (code !== undefined) expectShape(operation, { ...body })
      for (const name of ERROR_DETAILS[row] ?? []) {
        expect(body.error?.details ?? body.details).toHaveProperty(name)
        detailOf(`${row}: ${name}`).how = shown.how
      }
      rowOf(row).how = shown.how
    })
  }
})

/** A refusal has the shape of its endpoint; a critical status carries its data besides. */
function expectShape(
  operation: OperationId,
  { data, metadata, ...body }: { data?: object; metadata?: object },
): void {
  const { shape }: RouteContract = routes[operation]
  expect(ERROR_BODIES[shape].safeParse(body).error).toBeUndefined()
  expect([data, metadata].every((part) => part === undefined) || operation === 'readStatus').toBe(true)
}

describe('fields', () => {
  const fields = Object.entries(FIELDS).flatMap(([operation, text]) =>
    [...text.matchAll(/(\S+) (\S+)/g)].map(([, path, type]) => ({
      operation,
      path: path!,
      type: type!,
      row: `${operation} ${path} ${type}`,
    })),
  )
  const rowOf = section(
    'Fields',
    'Every field of a success by its path, with its type; `[]` is an entry of a list, `{}` a value of a map.',
    fields.map(({ row }) => row),
    true,
  )
  const KEY_FRAMES = 'video: key_frames'
  const TRANSCRIPT = 'audio: transcript'
  const heldOf = section(
    'Fields that an item can have',
    'Named by the specification as what can be held besides.',
    [KEY_FRAMES, TRANSCRIPT],
  )
  beforeAll(async () => {
    for (const [name, sample] of Object.entries(SAMPLES)) await served.sample(name, () => sample(served))
  }, 120_000)
  test.each(fields)('$row', ({ operation, path, type, row }) => {
    const samples = served.recorded.filter(
      (recorded) =>
        recorded.operation === operation && recorded.sample !== null && recorded.answer.status === 200,
    )
    const having = samples.filter(({ answer }) => hasField(answer.body, path, type))
    expect(having, `${samples.length} answers have no ${path}`).not.toEqual([])
    rowOf(row).how = having[0]!.sample!
  })
  test('of a recording its transcript', () => {
    const transcribed = served.recorded.find(
      ({ operation, sample, answer }) =>
        operation === 'readMedia' && sample !== null && answer.body.data?.content?.transcript?.length > 0,
    )
    expect(transcribed?.sample).toBeTruthy()
    heldOf(TRANSCRIPT).how = transcribed!.sample!
  })
  test('of a video its key frames', () => {
    const framed = served.recorded.find(
      ({ operation, sample, answer }) =>
        operation === 'readMedia' &&
        sample !== null &&
        answer.status === 200 &&
        (answer.body.data?.metadata?.modality?.key_frames ?? []).length > 0,
    )
    expect(framed?.sample).toBeTruthy()
    heldOf(KEY_FRAMES).how = framed!.sample!
  })
})

describe('capabilities', () => {
  const pairs = Object.entries(CAPABILITIES).flatMap(([capability, operations]) =>
    operations.map((operation) => ({ capability, operation, row: `${operation} needs ${capability}` })),
  )
  const rowOf = section(
    'Capabilities',
    'What a key needs.',
    pairs.map(({ row }) => row),
    true,
  )
  test.each(pairs)('$row', async ({ capability, operation, row }) => {
    const request = plain(operation)
    const { accountId } = await served.openAccount(0)
    const nothing = { ...served.main, doc: 'doc_00000000-0000-5000-8000-000000000000' }
    const able = await served.keyFor(accountId, [capability as keyof typeof CAPABILITIES])
    const { body } = await request(able, nothing)
    expect(String(body.error?.code ?? body.code).toUpperCase()).not.toBe('INSUFFICIENT_PERMISSIONS')
    const others = (['read', 'write', 'delete'] as const).filter((other) => other !== capability)
    const refused = await request(await served.keyFor(accountId, others), nothing)
    expectStatus(refused, 403)
    expect((refused.body.error ?? refused.body).details.required_capability).toBe(capability)
    rowOf(row).how = 'a key with it alone, and one with the other two'
  })
})

/** Rows that are no single answer each. */
function shownBy(title: string, text: string, rows: readonly string[], shown: Record<string, Shown>): void {
  describe(`rows of: ${title}`, () => {
    const rowOf = section(title, text, rows)
    test('every row has a test or a reason, and nothing else has', () => {
      expect(Object.keys(shown).sort()).toEqual([...rows].sort())
    })
    for (const [row, provoked] of Object.entries(shown).filter(([, provoked]) => 'cannot' in provoked))
      Object.assign(rowOf(row), provoked)
    const checked = Object.entries(shown).flatMap(([row, provoked]) =>
      'check' in provoked ? [{ row, ...provoked }] : [],
    )
    test.each(checked)('$row: $how', async ({ row, how, check }) => {
      await check(served)
      rowOf(row).how = how
    })
  })
}
shownBy('States', 'Each transition, and each code of a job.', STATES, SHOWN_STATES)
shownBy(
  'Limits',
  'At the border: what is just within is taken, what is just beyond refused.',
  LIMITS,
  SHOWN_LIMITS,
)
shownBy('Prices', 'By the balance before and after.', PRICES, SHOWN_PRICES)
shownBy('Headers and paths', 'Of every endpoint.', HEADERS, SHOWN_HEADERS)

test('docs/contract.md is what these tests made', async () => {
  const page = contractPage(sections)
  if (process.env['MEDIALOG_WRITE_CONTRACT']) await writeFile(PAGE, page)
  expect(page).not.toContain('NOT SHOWN')
  expect(await readFile(PAGE, 'utf8'), '`npm run contract` writes it anew').toBe(page)
})
