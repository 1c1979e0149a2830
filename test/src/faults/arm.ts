import { vi } from 'vitest'
import type { RunningServer } from '../harness/server.ts'

/** From here on the calls of killable-server.ts count. */
export async function arm(server: RunningServer): Promise<void> {
  process.kill(server.pid, 'SIGUSR2')
  await vi.waitUntil(() => server.errors().includes('armed'), { timeout: 30_000, interval: 5 })
}
