import type { MessagePort } from 'node:worker_threads'
import { explain } from '@medialog/kernel'
import type { ProjectionHost } from './host.ts'
import type { Call, Said } from './messages.ts'

/**
 * The thread's side: answers what `connectProjections` asks at the other end of the port, and says where the read
 * models stand after each commit. Closing the connection closes the host.
 */
export function serveProjections(port: MessagePort, host: ProjectionHost): void {
  const say = (said: Said): void => port.postMessage(said)
  const stopAnnouncing = host.onReached((store, position) => say({ type: 'reached', store, position }))

  async function close(): Promise<void> {
    stopAnnouncing()
    await host.close()
  }

  function carryOut({ id, method, readModel, store, damage }: Call): Promise<unknown> {
    switch (method) {
      case 'status':
        return host.status()
      case 'rebuild':
      case 'verify':
        return host[method](readModel!, (progress) => say({ type: 'progress', id, progress }))
      case 'flushErased':
        return host.flushErased()
      case 'damaged':
        return Promise.resolve(host.damaged(store!, damage!))
      case 'close':
        return close()
    }
  }

  port.on('message', (call: Call) => {
    carryOut(call).then(
      (value) => say({ type: 'answer', id: call.id, value }),
      (error: unknown) => say({ type: 'failure', id: call.id, message: explain(error) }),
    )
  })
  port.on('close', () => void close())
}
