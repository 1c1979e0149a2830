import { hkdfSync, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

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

/** A secret of the data folder, made where it is not there. */
export function keptSecret(dataFolder: string, name: string, make: () => string): string {
  const folder = join(dataFolder, 'secrets')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, name)
  if (!existsSync(path)) {
    // Renamed into place: a crash leaves a whole secret or none.
    writeFileSync(`${path}.new`, make(), { mode: 0o600, flush: true })
    renameSync(`${path}.new`, path)
  }
  return readFileSync(path, 'utf8').trim()
}
