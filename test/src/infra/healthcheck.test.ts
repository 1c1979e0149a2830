import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { infraPath } from './folder.ts'

/** Its exit code. */
const healthcheck = (environment: Record<string, string>, ...args: string[]): Promise<number> =>
  promisify(execFile)(process.execPath, [infraPath('image/healthcheck.ts'), ...args], {
    env: environment,
  }).then(
    () => 0,
    ({ code }: { code: number }) => code,
  )

test('a container is healthy as long as its process says that it is ready', async () => {
  let status = 200
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url!)
    response.writeHead(status).end()
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const port = String((server.address() as AddressInfo).port)
  expect(await healthcheck({ PORT: port })).toBe(0)
  expect(await healthcheck({ PORT: '1', METRICS_PORT: port }, 'metrics')).toBe(0)
  status = 503
  expect(await healthcheck({ PORT: port })).toBe(1)
  expect(await healthcheck({ PORT: '1' })).toBe(1)
  expect(asked).toEqual(['/readyz', '/readyz', '/readyz'])
})
