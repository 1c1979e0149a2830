import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { SERVER_PROCESS } from '@medialog/cli/server-process'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryDataFolder } from '../harness/server.ts'

const HOLD = fileURLToPath(new URL('../harness/hold-socket.pl', import.meta.url))

/** A service whose socket outlives it, and that is started again whenever it ends. */
async function startHeld(dataFolder: string) {
  const words = [HOLD, process.execPath, ...SERVER_PROCESS.flags, SERVER_PROCESS.main]
  const holder = spawn('perl', words, {
    env: { ...SERVER_PROCESS.env, PATH: process.env['PATH'], MEDIALOG_DATA_DIR: dataFolder, PORT: '1' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(holder, 'exit')
  const said: string[] = []
  let apiKey = ''
  createInterface({ input: holder.stdout }).on('line', (line) => {
    if (/^\d+$/.test(line)) said.push(line)
    apiKey ||= /API key: (mlk_\S+)/.exec(line)?.[1] ?? ''
  })
  await expect.poll(() => apiKey, { timeout: 60_000 }).not.toBe('')
  return {
    url: `http://127.0.0.1:${said[0]}`,
    apiKey,
    pids: () => said.slice(1).map(Number),
    async stop() {
      holder.kill()
      await ended
    },
  }
}

test(
  'a restart of a service whose socket systemd holds refuses no connection',
  { timeout: 120_000 },
  async () => {
    const folder = await temporaryDataFolder()
    const held = await startHeld(folder.path)
    onTestFinished(async () => {
      await held.stop()
      await folder.remove()
    })
    const answers: (number | string)[] = []
    let over = false
    // A connection each: none is kept that the service might close while a request is on its way.
    const headers = { 'x-api-key': held.apiKey, connection: 'close' }
    const clients = [0, 1, 2].map(async () => {
      while (!over) {
        const answer = await fetch(`${held.url}/v1/media`, { headers }).catch((error: unknown) =>
          String(error),
        )
        answers.push(typeof answer === 'string' ? answer : answer.status)
        await sleep(10)
      }
    })
    await sleep(300)
    for (let restart = 1; restart <= 2; restart++) {
      const before = answers.length
      process.kill(held.pids().at(-1)!, 'SIGTERM')
      await expect.poll(() => held.pids().length, { timeout: 60_000 }).toBe(1 + restart)
      await expect.poll(() => answers.length - before, { timeout: 60_000 }).toBeGreaterThan(30)
    }
    over = true
    await Promise.all(clients)
    expect(answers.filter((answer) => answer !== 200)).toEqual([])
  },
)
