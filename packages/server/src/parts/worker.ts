import type { Orchestrator } from '@medialog/application'
import { startEraser, type EraserPorts } from '@medialog/workflows'
import type { Logger } from 'pino'
import { asTroubles, partOf, type Part } from './part.ts'

interface WorkerPorts extends EraserPorts {
  orchestrator: Orchestrator
}

/** Carries uploads and batches, takes up what crashes left, and erases what is dead. What it starts is stopped with `running`. */
export async function startWorker(
  ports: WorkerPorts,
  logger: Logger,
  running: AsyncDisposableStack,
): Promise<Part> {
  const { orchestrator } = ports
  const recovered = await orchestrator.recover()
  logger.info({ recovered }, 'recovered')
  const eraser = startEraser(ports, (error) => logger.error({ err: error }, 'erasing failed'))
  running.defer(() => eraser.close())
  return partOf('worker', async () => asTroubles(await orchestrator.trouble()))
}
