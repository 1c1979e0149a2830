import type { EngineTls } from '@medialog/application'
import { z } from 'zod'
import { headerKey, HOST_AND_PORT, InvalidConfiguration, parsed, switched, text } from './config-values.ts'
import { readTlsSettings, tlsVariables } from './tls-settings.ts'

/** The server that carries uploads and batches. */
export interface TemporalSettings {
  address: string
  namespace?: string
  taskQueue?: string
  /** Null: without TLS. */
  tls: EngineTls | null
  /** Null: it is not asked for. A secret. */
  apiKey: string | null
}

const Settings = z.object({
  TEMPORAL_ADDRESS: text.regex(HOST_AND_PORT, 'must read like localhost:7233').optional(),
  TEMPORAL_NAMESPACE: text.optional(),
  TEMPORAL_TASK_QUEUE: text.optional(),
  TEMPORAL_TLS: switched,
  TEMPORAL_API_KEY: headerKey.optional(),
})

export const TEMPORAL_VARIABLES = [...Object.keys(Settings.shape), ...tlsVariables('TEMPORAL')]

/** Null where no server is named. @throws InvalidConfiguration */
export function readTemporalSettings(
  environment: Record<string, string | undefined>,
): TemporalSettings | null {
  const settings = parsed(Settings, environment)
  const { TEMPORAL_ADDRESS: address, TEMPORAL_TLS: isOn, TEMPORAL_API_KEY: apiKey = null } = settings
  const tls = readTlsSettings(environment, { engine: 'TEMPORAL', isOn, turnedOnBy: 'TEMPORAL_TLS=true' })
  if (address === undefined) {
    if (settings.TEMPORAL_NAMESPACE ?? settings.TEMPORAL_TASK_QUEUE)
      throw new InvalidConfiguration(
        'TEMPORAL_NAMESPACE and TEMPORAL_TASK_QUEUE mean something only with TEMPORAL_ADDRESS: set it, or unset them.',
      )
    if (isOn || apiKey !== null)
      throw new InvalidConfiguration(
        'TEMPORAL_TLS and TEMPORAL_API_KEY mean something only with TEMPORAL_ADDRESS: set it, or unset them.',
      )
    return null
  }
  if (apiKey !== null && !isOn)
    throw new InvalidConfiguration(
      'TEMPORAL_API_KEY is sent over TLS only: set TEMPORAL_TLS=true, or unset it.',
    )
  return {
    address,
    namespace: settings.TEMPORAL_NAMESPACE,
    taskQueue: settings.TEMPORAL_TASK_QUEUE,
    tls,
    apiKey,
  }
}
