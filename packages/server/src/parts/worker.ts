import { setTimeout as sleep } from 'node:timers/promises'
import type { Orchestrator, Projections } from '@medialog/application'
import { startEraser, type EraserPorts } from '@medialog/workflows'
import type { Logger } from 'pino'
import { asTroubles, partOf, type Part } from './part.ts'

/** How long after the projections' thread died they are asked again. */
const AGAIN_MS = 1_000

interface WorkerPorts extends EraserPorts {
  orchestrator: Orchestrator
  projections: Pick<Projections, 'reached' | 'status' | 'rebuild'>
}

interface WorkerOptions {
  /** Whether no other process has the log: what is unfinished is left over then, and ended before anything else. */
  isAlone: boolean
  /** How often a start that waits reports it. */
  reportMs?: number
}

/** Carries uploads and batches, takes up what crashes left, and erases what is dead. What it starts is stopped with `running`. */
export async function startWorker(
  ports: WorkerPorts,
  logger: Logger,
  running: AsyncDisposableStack,
  { isAlone, reportMs = 10_000 }: WorkerOptions,
): Promise<Part> {
  const { orchestrator } = ports
  if (isAlone) await allFollowed(ports, logger, reportMs)
  const recovered = await orchestrator.recover()
  logger.info({ recovered }, 'recovered')
  const eraser = startEraser(ports, (error) => logger.error({ err: error }, 'erasing failed'))
  running.defer(() => eraser.close())
  return partOf('worker', async () => asTroubles(await orchestrator.trouble()))
}

/**
 * Resolves once the read models show all of the log: in them is found what a crash left. That may take an hour after a restore
 * of a large log, and as long as an engine is unavailable.
 */
async function allFollowed(
  { projections, eventStore }: Pick<WorkerPorts, 'projections' | 'eventStore'>,
  logger: Logger,
  reportMs: number,
): Promise<void> {
  const head = await eventStore.head()
  const report = async (): Promise<void> => {
    const reason = await projections.status().then(
      (statuses) => ({
        waitsFor: statuses
          .filter(({ position }) => position < head)
          .map(({ name, behind, error }) => ({ name, behind, ...(error !== null && { error }) })),
      }),
      (error: unknown) => ({ err: error }),
    )
    logger.warn(reason, 'the start waits until the read models show all of the log')
  }
  const reporting = setInterval(() => void report(), reportMs)
  try {
    // Not reached where their thread died, which is started again.
    while (!(await projections.reached(head))) await sleep(AGAIN_MS)
  } finally {
    clearInterval(reporting)
  }
}
