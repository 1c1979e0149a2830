import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { noLogTree, startLogTree, type LogTree, type LogTreePorts } from '@medialog/application'
import { noteSigner, type NoteSigner } from '@medialog/contract/signed-note'
import { explain } from '@medialog/kernel'
import type { Logger } from 'pino'
import { InvalidConfiguration, type Config } from './config.ts'
import { keptSecret } from './secrets.ts'
import type { Engines } from './service.ts'

type Ports = Omit<LogTreePorts, 'leaves' | 'signer' | 'every' | 'onTrouble'> & Pick<Engines, 'leaves'>

/** The tree over all events, of a process that is alone with its log. @throws InvalidConfiguration */
export function openLogTree(config: Config, logger: Logger, { leaves, ...ports }: Ports): LogTree {
  if (leaves === null) return noLogTree('several processes share the log, and none of them keeps its tree')
  const onTrouble = (err: unknown) => logger.error({ err }, 'the log could not be checkpointed')
  const signer = openCheckpointKey(config)
  return startLogTree({ ...ports, leaves, signer, every: config.checkpointEvents, onTrouble })
}

function openCheckpointKey({ dataFolder, checkpointKeyFile }: Config): NoteSigner {
  if (checkpointKeyFile === null) return noteSigner(keptSecret(dataFolder, 'checkpoint-key.pem', newKey))
  try {
    return noteSigner(readFileSync(checkpointKeyFile, 'utf8'))
  } catch (error) {
    throw new InvalidConfiguration(
      `MEDIALOG_CHECKPOINT_KEY cannot be used (${checkpointKeyFile}): ${explain(error)}.`,
    )
  }
}

const newKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
