import {
  keepDoing,
  startLogTree,
  watchLogTree,
  type Coordination,
  type FollowingLogTree,
  type LogTree,
  type LogTreePorts,
} from '@medialog/application'
import { explain } from '@medialog/kernel'
import { whileLeading } from '@medialog/projections'
import type { Logger } from 'pino'
import { openCheckpointKey, openFormerKey, openSharedKey } from './checkpoint-key.ts'
import type { Config } from './config.ts'
import { requireFittingLeaves, type FittingLog } from './embedded/log-fits.ts'

type Ports = Omit<LogTreePorts, 'signer' | 'former' | 'every' | 'onTrouble'>

/** The tree over all events, as this process uses it: one that is alone with its log keeps it, too. @throws InvalidConfiguration */
export function openLogTree(config: Config, logger: Logger, ports: Ports): LogTree {
  if (config.roles === null) return startLogTree(configured(config, logger, ports))
  return watchLogTree({ ...ports, signer: openSharedKey(config), former: openFormerKey(config) })
}

interface KeepingPorts extends Ports {
  eventStore: Ports['eventStore'] & FittingLog
  coordination: Coordination
  /** Of this process, in that. */
  holder: string
}

/** What keeps this process from keeping the tree while it is the one to do it, in words; null: nothing. */
export type TreeTrouble = () => string | null

/** Keeps the tree that processes share whenever this one is who does, until `running` ends. @throws InvalidConfiguration */
export function keepSharedLogTree(
  config: Config,
  logger: Logger,
  ports: KeepingPorts,
  running: AsyncDisposableStack,
): TreeTrouble {
  const treePorts = configured(config, logger, ports)
  const stopping = new AbortController()
  let kept: FollowingLogTree | null = null
  let trouble: string | null = null

  async function keep(lost: AbortSignal, onProgress: () => void): Promise<void> {
    await requireFittingLeaves(ports.eventStore, config, ports.leaves)
    onProgress()
    kept = startLogTree(treePorts)
    if (!lost.aborted) await new Promise((resolve) => lost.addEventListener('abort', resolve))
    await kept.close()
    kept = null
  }

  const led = whileLeading(
    {
      coordination: ports.coordination,
      name: 'leaves',
      holder: ports.holder,
      signal: stopping.signal,
      onTrouble: (err) => logger.warn({ err }, 'who keeps the leaves of the log cannot be agreed on'),
    },
    async (lost) => {
      const onTrouble = (failure: unknown): void => {
        trouble = failure === null ? null : explain(failure)
      }
      await keepDoing({ background: ports.background, signal: lost, onTrouble }, (onProgress) =>
        keep(lost, onProgress),
      )
      trouble = null
    },
  )
  running.defer(async () => {
    stopping.abort()
    await led
  })
  return () => kept?.trouble() ?? trouble
}

function configured(config: Config, logger: Logger, ports: Ports): LogTreePorts {
  const onTrouble = (err: unknown) => logger.error({ err }, 'the log could not be checkpointed')
  const signer = config.roles === null ? openCheckpointKey(config) : openSharedKey(config)
  return { ...ports, signer, former: openFormerKey(config), every: config.checkpointEvents, onTrouble }
}
