import { hkdfSync, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { UnusableDataFolder } from './embedded/data-folder.ts'

export interface Secrets {
  operatorToken: string
  /** 32 bytes: keeps positions opaque. */
  positionSecret: Buffer
}

/**
 * The operator's token, configured or else made at first start and kept in the data folder, readable by its owner only; and
 * what is derived from it, so that all processes with the same token have the same.
 */
export function openSecrets(dataFolder: string, configuredToken: string | null): Secrets {
  const operatorToken = configuredToken ?? keptSecret(dataFolder, 'operator-token', newToken)
  const positionSecret = Buffer.from(hkdfSync('sha256', operatorToken, '', 'medialog positions', 32))
  return { operatorToken, positionSecret }
}

const newToken = (): string => `mlo_${randomBytes(24).toString('base64url')}`

/** The files of secrets that the service makes for itself. */
export const SECRETS = ['operator-token', 'checkpoint-key.pem', 'webhook-key'] as const
type SecretName = (typeof SECRETS)[number]

export const secretFile = (dataFolder: string, name: SecretName): string => join(dataFolder, 'secrets', name)

/** A secret of the data folder, made where it is not there. @throws UnusableDataFolder */
export function keptSecret(dataFolder: string, name: SecretName, make: () => string): string {
  const path = secretFile(dataFolder, name)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  if (!existsSync(path)) {
    // Renamed into place: a crash leaves a whole secret or none.
    writeFileSync(`${path}.new`, make(), { mode: 0o600, flush: true })
    renameSync(`${path}.new`, path)
  }
  return readSecret(dataFolder, name)!
}

/** A secret of the data folder; null where it is not there. @throws UnusableDataFolder */
export function readSecret(dataFolder: string, name: SecretName): string | null {
  const path = secretFile(dataFolder, name)
  if (!existsSync(path)) return null
  const secret = readFileSync(path, 'utf8').trim()
  // An empty token would be everybody's.
  if (secret === '')
    throw new UnusableDataFolder(
      dataFolder,
      `${path} is empty: restore it from a backup, or delete it, and the next start makes another.`,
    )
  return secret
}
