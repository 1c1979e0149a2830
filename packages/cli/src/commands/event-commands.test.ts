import { expect, test } from 'vitest'
import { fakeContext } from '../testing/context.ts'
import { start, told as toldOn } from '../testing/medialog.ts'
import { refused, type Reply } from '../testing/wire.ts'

const context = fakeContext()
const { run } = context

const event = (number: number, type = 'ChargeSettled', data: object = {}) => ({
  id: `e${number}`,
  type: `medialog.${type}`,
  subject: 'ledger-a',
  time: '2026-11-20T13:05:09.123Z',
  actor: 'k3y1d000',
  data,
})
const told = (place: string, of: object): string => `id: ${place}\ndata: ${JSON.stringify(of)}\n\n`
const stream = (...frames: string[]): Reply => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  body: frames.join(''),
})
const notValid = refused(401, 'INVALID_API_KEY', 'The key is not valid.')

/** Each request to follow gets the next answer; answers what was asked. */
function feeding(...replies: Reply[]): { after: string | null; types: string | null }[] {
  const asked: { after: string | null; types: string | null }[] = []
  context.server.intercept(({ path, query }) => {
    if (path !== '/v1/events') return null
    asked.push({ after: query.get('after'), types: query.get('types') })
    return replies[asked.length - 1] ?? notValid
  })
  return asked
}

test('each event is a line; where it is cut off it goes on behind the last one', async () => {
  const asked = feeding(
    stream('retry: 1000\nid: p0\n\n', told('p1', event(1, 'BalanceCharged', { amount: '40000000' }))),
    stream('id: p7\n\n'),
    stream(told('p8', event(2)), 'event: end\ndata: {"reason":"stopping","message":"It stops."}\n\n'),
    refused(503, 'SERVICE_UNAVAILABLE', 'Away.'),
  )
  const { code, stdout, stderr } = await run('events', 'follow', '--type', 'BalanceCharged,ChargeSettled')
  // Until the key is refused, which no waiting changes.
  expect(code).toBe(4)
  expect(asked.map(({ after }) => after)).toEqual([null, 'p1', 'p7', 'p8', 'p8'])
  expect(new Set(asked.map(({ types }) => types))).toEqual(new Set(['BalanceCharged,ChargeSettled']))
  expect(stdout).toMatch(/^\S+ \S+ +BalanceCharged +ledger-a +\$0.04\n\S+ \S+ +ChargeSettled +ledger-a\n$/)
  expect(stderr).toMatch(/^The connection ended\. Going on in 0\.[345] s\.$/m)
  expect(stderr).toContain('It stops. Going on in')
})

test('with --json an event is a document of one line, with the place to go on from', async () => {
  feeding(stream(told('p1', event(1)), told('p2', event(2))))
  const { stdout } = await run('events', 'follow', '--after', 'beginning', '--json')
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object),
  ).toEqual([
    { position: 'p1', event: event(1) },
    { position: 'p2', event: event(2) },
  ])
})

test('what is refused at the start is said at once', async () => {
  const asked = feeding()
  const { code, stderr } = await run('events', 'follow')
  expect([code, asked.length]).toEqual([4, 1])
  expect(stderr).toContain('The key is not valid.')
})

test('Ctrl-C ends it as it should end, and says where to go on', async () => {
  feeding(stream(told('p1', event(1))))
  const { child, ended } = start(['events', 'follow'], { env: context.env, cwd: context.folder })
  await toldOn(child, 'Going on in')
  child.kill('SIGINT')
  const { code, stderr } = await ended
  expect(code).toBe(0)
  expect(stderr).toContain('To go on: medialog events follow --after p1\n')
})
