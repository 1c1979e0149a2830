import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { medialog } from '../harness/cli.ts'
import { useServer } from '../harness/suite.ts'

const server = useServer()

test('the whole log is proven while it is served; where its chain breaks, nothing is made from it', async () => {
  const { client } = await server.openAccount(1)
  await client.upload('kept.txt', 'Kept in a log that can be proven.')
  const good = await medialog(server.running, 'log', 'verify')
  expect(good).toMatchObject({
    code: 0,
    answer: { kind: 'log-verify', status: 'succeeded', result: { intact: true, found: 0 } },
  })

  const database = new DatabaseSync(join(server.running.dataFolder, 'log', 'events.sqlite'), {
    timeout: 10_000,
  })
  const { position, name } = database
    .prepare(
      `SELECT position, name FROM events JOIN streams USING (stream) WHERE event LIKE '%"MediaIngested"%'`,
    )
    .get() as { position: number; name: string }
  database
    .prepare(`UPDATE events SET event = replace(event, '"kept.txt"', '"more.txt"') WHERE position = ?`)
    .run(position)
  database.close()

  const reason = 'the payload is not the one recorded'
  const broken = await medialog(server.running, 'log', 'verify')
  expect(broken).toMatchObject({
    code: 1,
    answer: { result: { intact: false, findings: [{ position, stream: name, revision: 1, reason }] } },
  })
  for (const command of ['rebuild', 'verify']) {
    const { code, answer } = await medialog(server.running, 'projections', command, 'catalog')
    expect([code, answer.status]).toEqual([1, 'failed'])
    expect(answer.error).toContain(`position ${position}, revision 1 of ${name}: ${reason}`)
  }
  // The read model that was there is the one that is there.
  const { body } = await client.request('GET', '/v1/media')
  expect(body.data.items[0].file_info.filename).toBe('kept.txt')
}, 120_000)
