import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a server on this machine leaves in its data folder for its owner; null where it is not there or not readable. */
export interface DataFolder {
  url: string | null
  apiKey: string | null
  operatorToken: string | null
}

export function readDataFolder(path: string): DataFolder {
  return {
    url: serverUrl(join(path, 'server.json')),
    apiKey: secret(join(path, 'secrets', 'dev-api-key')),
    operatorToken: secret(join(path, 'secrets', 'operator-token')),
  }
}

function secret(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim() || null
  } catch {
    return null
  }
}

function serverUrl(path: string): string | null {
  try {
    const { url } = JSON.parse(readFileSync(path, 'utf8')) as { url?: unknown }
    return typeof url === 'string' ? url : null
  } catch {
    return null
  }
}
