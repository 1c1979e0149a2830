import { confinementText, inspectConfinement, isWhole, missingText } from '@medialog/understanding'
import type { Logger } from 'pino'
import { InvalidConfiguration } from './config-values.ts'
import type { Config } from './config.ts'

/** By what the kernel holds the processes that read files, in words. @throws InvalidConfiguration where more is required */
export async function openSandbox(
  { sandbox }: Pick<Config, 'sandbox'>,
  logger: Logger,
  inspect = inspectConfinement,
): Promise<string> {
  const confinement = await inspect()
  const inForce = confinementText(confinement)
  if (isWhole(confinement)) logger.info({ sandbox: inForce }, 'processes that read files are confined')
  else if (sandbox === 'required')
    throw new InvalidConfiguration(
      `Processes that read files must be confined, and what confines them here is: ${inForce}. ${missingText(confinement)} To start with what there is: MEDIALOG_SANDBOX=best.`,
    )
  else logger.warn({ sandbox: inForce }, 'processes that read files are not confined by the kernel')
  return inForce
}
