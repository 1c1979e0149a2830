import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startHeldServer } from '../harness/held-socket.ts'

test(
  'a restart of a service whose socket systemd holds refuses no connection',
  { timeout: 120_000 },
  async () => {
    await using held = await startHeldServer()
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
    for (const _ of [1, 2]) {
      const before = answers.length
      await held.restart()
      await expect.poll(() => answers.length - before, { timeout: 60_000 }).toBeGreaterThan(30)
    }
    over = true
    await Promise.all(clients)
    expect(answers.filter((answer) => answer !== 200)).toEqual([])
  },
)
