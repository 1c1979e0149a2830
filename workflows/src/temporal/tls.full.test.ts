import { randomUUID } from 'node:crypto'
import { describeWithEngine } from '@medialog/test/engines'
import { identityOf, makeAuthority } from '@medialog/test/harness/certificates'
import { startProxy } from '@medialog/test/harness/proxy'
import { expect, test, vi } from 'vitest'
import { startWork } from '../testing/service.ts'
import { openTemporalOrchestrator } from './orchestrator.ts'

vi.setConfig({ testTimeout: 120_000 })
const LONG = { timeout: 60_000, interval: 50 }

describeWithEngine('temporal', 'Temporal over TLS', (address) => {
  test('uploads are carried where it asks for a certificate, by the name that its own is for', async () => {
    await using stack = new AsyncDisposableStack()
    const authority = stack.use(makeAuthority())
    const { pem: cert, key } = authority.issue('temporal.internal')
    const asksBack = { cert, key, ca: authority.pem, requestCert: true, rejectUnauthorized: true }
    const proxy = stack.adopt(await startProxy(address, asksBack), (it) => it.cut())
    const tls = { ca: authority, identity: identityOf(authority.issue()), serverName: 'temporal.internal' }
    const work = await startWork()
    const open = (of: typeof tls | (Omit<typeof tls, 'identity'> & { identity: null })) =>
      openTemporalOrchestrator(work.ports, {
        address: `localhost:${proxy.port}`,
        tls: of,
        taskQueue: `test-${randomUUID()}`,
        onTrouble: () => undefined,
      })
    const orchestrator = open(tls)
    await orchestrator.recover()
    await vi.waitFor(async () => expect(await orchestrator.trouble()).toBeNull(), LONG)
    await orchestrator.drain(AbortSignal.timeout(30_000))
    const unknown = open({ ...tls, identity: null })
    expect(await unknown.trouble()).toMatch(/^Temporal does not answer/)
    await unknown.drain(AbortSignal.timeout(30_000))
  })
})
