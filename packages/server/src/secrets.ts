import { hkdfSync, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { UnusableDataFolder } from './embedded/data-folder.ts'
import type { Role } from './roles.ts'

export interface Secrets {
  operatorToken: string
  /** 32 bytes each: the first keeps positions opaque, the others did so before it. */
  positionSecrets: readonly Buffer[]
}

interface SecretSettings {
  dataFolder: string
  operatorToken: string | null
  positionKey: string | null
  formerPositionKey: string | null
  /** Null: alone, with a data folder in which secrets are kept. */
  roles: readonly Role[] | null
}

/**
 * The operator's token, and what keeps positions opaque: configured or else made at first start and kept in the data folder,
 * readable by its owner only. Of several processes without a position key all that have the same token have the same.
 */
export function openSecrets(settings: SecretSettings): Secrets {
  const { dataFolder, roles, positionKey, formerPositionKey: former } = settings
  const operatorToken = settings.operatorToken ?? keptSecret(dataFolder, 'operator-token', newToken)
  // Releases up to 0.1 derived it from the token: the key begins as that, so that places of theirs stay known, and stays
  // when the token changes.
  const newKey = (): string => KEPT + derivedFrom(operatorToken).toString('base64url')
  const key = positionKey ?? (roles === null ? keptSecret(dataFolder, 'position-key', newKey) : operatorToken)
  return { operatorToken, positionSecrets: [key, ...(former === null ? [] : [former])].map(positionSecretOf) }
}

/** Tells a kept key, whose bytes follow, from a text that somebody chose: an operator's token may look like those bytes. */
const KEPT = 'mlp_'

const positionSecretOf = (key: string): Buffer =>
  key.startsWith(KEPT) ? Buffer.from(key.slice(KEPT.length), 'base64url') : derivedFrom(key)

const derivedFrom = (text: string): Buffer =>
  Buffer.from(hkdfSync('sha256', text, '', 'medialog positions', 32))

const newToken = (): string => `mlo_${randomBytes(24).toString('base64url')}`

/** The files of secrets that the service makes for itself. */
export const SECRETS = [
  'operator-token',
  'position-key',
  'checkpoint-key.pem',
  'webhook-key',
  'backup-names',
] as const
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
