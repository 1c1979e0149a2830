import {
  startLogTree,
  watchLogTree,
  type Coordination,
  type LogTree,
  type LogTreePorts,
} from '@medialog/application'
import { whileLeading } from '@medialog/projections'
import type { Logger } from 'pino'
import { openCheckpointKey, openSharedKey } from './checkpoint-key.ts'
import type { Config } from './config.ts'
import { requireFittingLeaves, type FittingLog } from './embedded/log-fits.ts'

type Ports = Omit<LogTreePorts, 'signer' | 'every' | 'onTrouble'>

/** The tree over all events, as this process uses it: one that is alone with its log keeps it, too. @throws InvalidConfiguration */
export function openLogTree(config: Config, logger: Logger, ports: Ports): LogTree {
  if (config.roles === null) return startLogTree(configured(config, logger, ports))
  return watchLogTree({ ...ports, signer: openSharedKey(config) })
}

interface KeepingPorts extends Ports {
  eventStore: Ports['eventStore'] & FittingLog
  coordination: Coordination
  /** Of this process, in that. */
  holder: string
}

/** Keeps the tree that processes share whenever this one is who does, until `running` ends. @throws InvalidConfiguration */
export function keepSharedLogTree(
  config: Config,
  logger: Logger,
  ports: KeepingPorts,
  running: AsyncDisposableStack,
): void {
  const treePorts = configured(config, logger, ports)
  const stopping = new AbortController()
  const led = whileLeading(
    {
      coordination: ports.coordination,
      name: 'leaves',
      holder: ports.holder,
      signal: stopping.signal,
      onTrouble: (err) => logger.warn({ err }, 'the leaves of the log are not kept'),
    },
    async (lost) => {
      await requireFittingLeaves(ports.eventStore, config, ports.leaves)
      const tree = startLogTree(treePorts)
      if (!lost.aborted) await new Promise((resolve) => lost.addEventListener('abort', resolve))
      await tree.close()
    },
  )
  running.defer(async () => {
    stopping.abort()
    await led
  })
}

function configured(config: Config, logger: Logger, ports: Ports): LogTreePorts {
  const onTrouble = (err: unknown) => logger.error({ err }, 'the log could not be checkpointed')
  const signer = config.roles === null ? openCheckpointKey(config) : openSharedKey(config)
  return { ...ports, signer, every: config.checkpointEvents, onTrouble }
}
