import type { MessagePort } from 'node:worker_threads'
import {
  EngineUnavailable,
  type Damage,
  type Projections,
  type StoreName,
  type RebuildProgress,
} from '@medialog/application/ports'
import type { ProjectionHost } from './host.ts'
import type { Call, Said } from './messages.ts'
import { createReached } from './reached.ts'

interface Asked {
  resolve(value: unknown): void
  reject(error: Error): void
  onProgress?(progress: RebuildProgress): void
}

/** Projections that run in another thread. */
export interface ConnectedProjections extends Projections, Pick<ProjectionHost, 'flushErased'> {
  /** Resolves once the host has heard of it. */
  damaged(store: StoreName, damage: Damage): Promise<void>
}

/**
 * The main side of `serveProjections`. `reached` makes no call: the thread reports its position after each commit. When the
 * thread dies, what was asked fails with EngineUnavailable and `reached` is false.
 */
export function connectProjections(port: MessagePort): ConnectedProjections {
  const reached = createReached()
  const asked = new Map<number, Asked>()
  let calls = 0
  let closed = false
  const gone = (): Error => new EngineUnavailable('projections', 'The projections are not running.')

  port.on('message', (said: Said) => {
    if (said.type === 'reached') return reached.moved(said.store, said.position)
    const call = asked.get(said.id)
    if (said.type === 'progress') return call?.onProgress?.(said.progress)
    asked.delete(said.id)
    if (said.type === 'answer') call?.resolve(said.value)
    else call?.reject(new Error(said.message))
  })
  port.on('close', () => {
    closed = true
    reached.close()
    for (const call of asked.values()) call.reject(gone())
    asked.clear()
  })

  function ask<T>(
    method: Call['method'],
    { onProgress, ...of }: Pick<Call, 'readModel' | 'store' | 'damage'> & Pick<Asked, 'onProgress'> = {},
  ): Promise<T> {
    if (closed) return Promise.reject(gone())
    const id = ++calls
    return new Promise<T>((resolve, reject) => {
      asked.set(id, { resolve, reject, onProgress })
      port.postMessage({ id, method, ...of } satisfies Call)
    })
  }

  return {
    position: reached.position,
    reached: reached.wait,
    status: () => ask('status'),
    rebuild: (readModel, onProgress) => ask('rebuild', { readModel, onProgress }),
    verify: (readModel, onProgress) => ask('verify', { readModel, onProgress }),
    flushErased: () => ask('flushErased'),
    damaged: (store, damage) => ask('damaged', { store, damage }),

    async close() {
      if (closed) return
      await ask('close')
      port.close()
    },
  }
}
