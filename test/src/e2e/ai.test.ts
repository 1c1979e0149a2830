import { describe, expect, test } from 'vitest'
import { filesHolding, filesIn } from '../harness/files.ts'
import { useServer } from '../harness/suite.ts'
import { describeAi } from './suites/ai.ts'
import { analyze, spent } from './suites/asking.ts'
import { expectStatus } from '../harness/expect-status.ts'

const server = useServer()

describeAi(server)

describe('an analysis', () => {
  test('answers from the file, and leaves nothing of it to be read in any file of the data folder', async () => {
    const word = 'quagmirebandicoot'
    const secrets = [word, 'kwyjibo-plans', 'does the machine weigh', 'obeythewombat']
    const text = `The ${word} was built in Seoul in 1987. The machine weighs forty tons.`
    const before = await filesIn(server.folder)
    const fields = { query: `How much ${secrets[2]}?`, system_prompt: secrets[3]! }
    for (const response_format of ['text', 'json']) {
      const headers = { 'idempotency-key': `analysis-${response_format}` }
      const send = () =>
        analyze(server.client, `${secrets[1]}.txt`, text, { ...fields, response_format }, headers)
      const first = await send()
      expectStatus(first, 200)
      expect(JSON.stringify(first.body.data.response)).toContain('forty tons')
      const { balance } = await spent(server.client)
      const again = await send()
      expect(again.headers.get('idempotency-replayed')).toBe('true')
      expect(again.body).toEqual(first.body)
      expect((await spent(server.client)).balance).toBe(balance)
    }
    const broken = await analyze(server.client, `${secrets[1]}.pdf`, `%PDF-1.7 ${word}`, fields)
    expect(broken).toMatchObject({ status: 400, body: { error: { code: 'CORRUPTED_FILE' } } })
    expect(await filesHolding(server.folder, secrets)).toEqual([])
    const added = (await filesIn(server.folder)).filter((path) => !before.includes(path))
    // What was answered is kept for repeats, under a seal.
    const kept = added.filter((path) => /answers\/\d+\/[0-9a-f-]{36}\.sealed$/.test(path))
    expect(kept).toHaveLength(2)
    expect(added.filter((path) => !kept.includes(path) && !/\.sqlite(-wal|-shm)?$/.test(path))).toEqual([])
    expect((await server.client.request('GET', '/v1/media')).body.data.pagination.total_items).toBe(0)
  })
})
