import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Secrets {
  operatorToken: string
  /** 32 bytes: keeps positions opaque. */
  positionSecret: Buffer
}

/** The secrets of a data folder that this process owns, made at first start and readable by their owner only. */
export function openSecrets(dataFolder: string, operatorToken: string | null): Secrets {
  const folder = join(dataFolder, 'secrets')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return {
    operatorToken:
      operatorToken ??
      secret(join(folder, 'operator-token'), () => `mlo_${randomBytes(24).toString('base64url')}`),
    positionSecret: Buffer.from(
      secret(join(folder, 'position-secret'), () => randomBytes(32).toString('hex')),
      'hex',
    ),
  }
}

function secret(path: string, make: () => string): string {
  if (!existsSync(path)) {
    // Renamed into place: a crash leaves a whole secret or none.
    writeFileSync(`${path}.new`, make(), { mode: 0o600, flush: true })
    renameSync(`${path}.new`, path)
  }
  return readFileSync(path, 'utf8').trim()
}
