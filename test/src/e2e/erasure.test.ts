import { expect, test, vi } from 'vitest'
import { endedBatch, resultsOf } from '../harness/batches.ts'
import { medialog } from '../harness/cli.ts'
import { filesHolding, filesIn } from '../harness/files.ts'
import { operated } from '../harness/operations.ts'
import { useServer } from '../harness/suite.ts'
import { expectStatus } from '../harness/expect-status.ts'

const server = useServer()

const holding = (needles: readonly (string | Buffer)[]) => filesHolding(server.folder, needles)

const vectorBytes = (vector: readonly number[]): Buffer =>
  Buffer.from(Float32Array.from(vector.slice(0, 16)).buffer)

async function expectErased(needles: readonly (string | Buffer)[]): Promise<void> {
  const deadline = Date.now() + 40_000
  let left = await holding(needles)
  while (left.length > 0 && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 200))
    left = await holding(needles)
  }
  expect(left).toEqual([])
}

async function uploadSecret(
  n: number,
  fields: Record<string, string> = {},
): Promise<{ id: string; needles: (string | Buffer)[] }> {
  const word = `zyxwvut${n}quokka`
  const text = `Secret memorandum: the ${word} project starts on Monday. Nobody outside may read about ${word}.`
  const { body } = await server.client.upload(`secret-${n}.txt`, text, { include_vectors: 'true', ...fields })
  const id: string = body.data.media_id
  // Read, searched and listed, so that every cache has seen it.
  await server.client.request('POST', '/v1/search', {
    json: { query: `memorandum ${n} project monday`, collections: 'all' },
  })
  return { id, needles: [word, vectorBytes(body.data.vectors.combined)] }
}

test('what is deleted is in no file within seconds, whichever way it was deleted', async () => {
  const kept = await uploadSecret(0)
  const alone = await uploadSecret(1)
  const together = await uploadSecret(2)
  const collected = await uploadSecret(3, { collection_id: 'doomed' })
  for (const { needles } of [kept, alone, together, collected])
    for (const needle of needles) expect((await holding([needle])).length).toBeGreaterThan(0)

  await server.client.request('DELETE', `/v1/media/${alone.id}`)
  await server.client.request('DELETE', '/v1/media/batch', {
    json: { media_ids: [together.id], reason: 'a test' },
  })
  await server.client.request('DELETE', '/v1/media/collections/doomed')
  await expectErased([...alone.needles, ...together.needles, ...collected.needles])
  expectStatus(await server.client.request('GET', `/v1/media/${kept.id}`), 200)
})

test('what is replaced is in no file within seconds', async () => {
  const { id, needles } = await uploadSecret(4)
  const { body } = await server.client.request('GET', `/v1/media/${id}?include_chunks=true`)
  expect(body.data.content.text).toContain('zyxwvut4quokka')
  const file =
    'Secret memorandum: the zyxwvut4quokka project starts on Monday. Nobody outside may read about zyxwvut4quokka.'
  const inLog = expect.not.arrayContaining([expect.not.stringContaining('/log/')])
  const again = await server.client.upload('renamedwombat.txt', file, { force_overwrite: 'true' })
  expectStatus(again, 200)
  // The same content has the same text: what was replaced is told by the name that it came under, which only the log
  // still knows.
  await vi.waitFor(async () => expect(await holding(['secret-4.txt'])).toEqual(inLog), { timeout: 40_000 })
  await server.client.request('DELETE', `/v1/media/${id}`)
  await expectErased([...needles, 'secret-4.txt', 'renamedwombat.txt'])
})

test('of a file that was refused, or could not be read, nothing stays', async () => {
  const word = 'refusednumbat'
  const refused = await server.client.upload(`${word}.xyz`, `The ${word} is of no known format.`)
  expect(refused.body.error.code).toBe('UNSUPPORTED_FILE_TYPE')
  const broken = await server.client.upload(`${word}.png`, `\x89PNG\r\n\x1a\n${word} and nothing else`)
  expectStatus(broken, 400)
  const analysed = new FormData()
  analysed.set('query', 'What is it?')
  analysed.set('file', new Blob([`The ${word} eats termites.`]), `${word}.txt`)
  expectStatus(await server.client.request('POST', '/v1/ai/analyze', { form: analysed }), 200)
  await expectErased([word])
})

test('of a batch that was cancelled nothing stays but the names of files that were not stored', async () => {
  const word = 'cancelledbilby'
  const files = Array.from({ length: 12 }, (_, n) => ({
    filename: `batch-${n}.txt`,
    bytes: `Number ${n}: the ${word} digs. `.repeat(2_000),
  }))
  const created = await server.client.batch(files, { collection_id: 'cancelled' })
  const id: string = created.body.data.batch_id
  expectStatus(await server.client.request('PUT', `/v1/batches/${id}/state`), 200)
  const { results } = await endedBatch(server.client, id)
  expect(results.job_results).toHaveLength(12)
  // What was done before it was cancelled stays, and is deleted like anything else.
  await server.client.request('DELETE', '/v1/media/collections/cancelled')
  await expectErased([word])
  const cancelled = results.job_results.find(({ status }: { status: string }) => status === 'failed')
  if (cancelled) expect(await holding([cancelled.filename])).not.toEqual([])
})

test('the names that an item had in batches go with it, those of other files stay', async () => {
  const { client } = await server.openAccount(5)
  const batch = async (...files: [filename: string, bytes: string][]) => {
    const { body } = await client.batch(files.map(([filename, bytes]) => ({ filename, bytes })))
    await endedBatch(client, body.data.batch_id)
    return body.data.batch_id as string
  }
  const namesIn = async (id: string) =>
    (await resultsOf(client, id)).job_results.map(({ filename }: { filename?: string }) => filename)
  const first = await batch(
    ['dugonga.txt', 'Dugongs graze.'],
    ['dugongb.txt', 'Dugongs graze.'],
    ['dugongc.txt', 'Dugongs sleep.'],
    ['dugongd.pdf', '%PDF-1.4 broken'],
  )
  const second = await batch(['dugonge.txt', 'Dugongs graze.'], ['dugongf.txt', 'Dugongs swim.'])
  const { job_results: jobs } = await resultsOf(client, first)
  const erased = ['dugonga.txt', 'dugongb.txt', 'dugonge.txt']
  for (const name of erased) expect(await holding([name])).not.toEqual([])
  const { body } = await client.request('DELETE', `/v1/media/${jobs[0].media_id}?receipt=true`)
  // The same content again, by the time that the eraser comes to what was deleted.
  const again = await batch(['dugongg.txt', 'Dugongs graze.'])
  await vi.waitFor(
    async () => {
      const path = `/v1/erasures/${body.data.erasure.erasure_id}`
      expect((await client.request('GET', path)).body.data.status).toBe('erased')
    },
    { timeout: 40_000, interval: 200 },
  )
  await expectErased(erased)
  expect(await namesIn(first)).toEqual([undefined, undefined, 'dugongc.txt', 'dugongd.pdf'])
  expect(await namesIn(second)).toEqual([undefined, 'dugongf.txt'])
  expect(await namesIn(again)).toEqual(['dugongg.txt'])
  expectStatus(await client.request('DELETE', `/v1/media/${jobs[0].media_id}`), 200)
  await expectErased(['dugongg.txt'])
  expect(await namesIn(again)).toEqual([undefined])
  const verified = await operated(server.operator, { kind: 'log-verify' })
  expect(verified).toMatchObject({ result: { intact: true } })
})

test('of an account that is closed nothing stays but its ledger', async () => {
  const { accountId, client } = await server.openAccount(5)
  const word = 'closedpotoroo'
  for (const [n, collection] of ['default', `${word}-papers`, `${word}-more`].entries())
    await client.upload(
      `${word}-${n}.txt`,
      `The ${word} of ${n} eats truffles.`,
      { collection_id: collection },
      { 'idempotency-key': `upload-${n}` },
    )
  const question = { json: { query: `What does the ${word} eat?` } }
  const asked = await client.request('POST', '/v1/ai/query', {
    ...question,
    headers: { 'idempotency-key': 'a-question' },
  })
  expectStatus(asked, 200)
  const keptAnswers = async () => (await filesIn(server.folder)).filter((path) => path.endsWith('.sealed'))
  expect(await keptAnswers()).toHaveLength(1)
  expectStatus(await client.request('DELETE', `/v1/media/collections/${word}-more?receipt=true`), 200)
  const files = Array.from({ length: 8 }, (_, n) => ({
    filename: `${word}-of-a-batch-${n}.txt`,
    bytes: `Number ${n}: the ${word} digs. `.repeat(1_000),
  }))
  const options = { batch_options: JSON.stringify({ batch_name: `all about ${word}` }) }
  const key = { 'idempotency-key': 'a-batch' }
  const paid = await client.batch(files, options, key)
  expect([paid.status, paid.body.error]).toEqual([200, undefined])
  // Refused for want of money.
  const unpaid = await server.openAccount(0.01)
  expectStatus(await unpaid.client.batch(files), 403)
  await server.operator.request('POST', `/admin/accounts/${accountId}/keys`, { json: { label: word } })
  expect(await holding([word])).not.toEqual([])

  for (const closed of [accountId, unpaid.accountId])
    await vi.waitFor(
      async () => {
        const { body } = await server.operator.request('DELETE', `/admin/accounts/${closed}`)
        expect(body.data).toMatchObject({ payment_status: 'closed', erasure: { status: 'erased' } })
      },
      { timeout: 120_000, interval: 500 },
    )
  await expectErased([word])
  expect(await keptAnswers()).toEqual([])
  const refused = await client.request('GET', '/v1/media')
  expect([refused.status, refused.body.error.code]).toEqual([401, 'INVALID_API_KEY'])
  const credit = await server.operator.request('POST', `/admin/accounts/${accountId}/credits`, {
    json: { amount: 1 },
  })
  expect([credit.status, credit.body.error.code]).toEqual([409, 'ACCOUNT_CLOSED'])
  const issued = await server.operator.request('POST', `/admin/accounts/${accountId}/keys`, { json: {} })
  expect([issued.status, issued.body.error.code]).toEqual([409, 'ACCOUNT_CLOSED'])
  // The books are there, proven, and say what was left.
  const statement = await server.operator.request('GET', `/admin/accounts/${accountId}/statement`)
  expect(statement.body.data.proof.holds).toBe(true)
  const { balance } = (await server.operator.request('GET', `/admin/accounts/${accountId}`)).body.data
  expect(Number(statement.body.data.closing_balance)).toBe(balance)
  const verified = await medialog(server.running, 'audit', 'verify')
  expect(verified.answer.result).toMatchObject({ intact: true, found: 0 })
  for (const name of ['accounts', 'batches', 'catalog', 'work', 'history']) {
    const { answer } = await medialog(server.running, 'projections', 'verify', name)
    expect([name, answer.result.identical]).toEqual([name, true])
  }
})
