import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { medialog } from '../harness/cli.ts'
import { filesHolding } from '../harness/files.ts'
import { useServer } from '../harness/suite.ts'

const server = useServer()

const TEXT = (n: number) =>
  `The heron of lake number ${n} stands in the reeds, and nobody outside may know of it.`

test('close', async () => {
  const { accountId, client } = await server.openAccount(5)
  await client.upload(`quokkaname.txt`, TEXT(1))
  await client.upload(`quokkaname2.txt`, TEXT(2), { collection_id: 'quokkacoll' })
  await client.request('DELETE', '/v1/media/collections/quokkacoll?receipt=true')
  const form = new FormData()
  for (let n = 0; n < 5; n++) form.append('file', new File([TEXT(100 + n)], `quokkabatch-${n}.txt`))
  form.append('batch_options', JSON.stringify({ batch_name: 'quokkabatchname' }))
  const b = await client.request('POST', '/v1/batches', { body: form } as never)
  console.log(b.status, b.body?.data?.batch_id)
  const t = Date.now()
  const { status, body } = await server.operator.request('DELETE', `/admin/accounts/${accountId}`)
  console.log(status, Date.now() - t, JSON.stringify(body).slice(0, 600))
  for (let i = 0; i < 60; i++) {
    const e = await server.operator.request('GET', `/admin/erasures/${body.data.erasure.erasure_id}`)
    if (e.body.data.status === 'erased') {
      console.log('erased', Date.now() - t, JSON.stringify(e.body.data.receipt.items.length))
      break
    }
    await new Promise((r) => setTimeout(r, 500))
  }
  console.log(await filesHolding(server.folder, ['heron', 'quokka']))
  console.log(server.running.errors().slice(-3000))
  console.log(JSON.stringify((await server.operator.request('GET', `/admin/accounts/${accountId}`)).body))
  console.log(JSON.stringify(await medialog(server.running, 'audit', 'verify'), null, 1))
  console.log(
    JSON.stringify((await medialog(server.running, 'audit', 'replay', accountId)).answer.proof, null, 1),
  )
  for (const m of ['catalog', 'accounts', 'usage', 'work', 'batches'])
    console.log(m, (await medialog(server.running, 'projections', 'verify', m)).answer.result)
  expect(status).toBe(200)
}, 120_000)
