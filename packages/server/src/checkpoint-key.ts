import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { noteSigner, type NoteSigner } from '@medialog/contract/signed-note'
import { explain } from '@medialog/kernel'
import { InvalidConfiguration } from './config-values.ts'
import { keptSecret } from './secrets.ts'

/** Where the key is that signs checkpoints and receipts: PKCS #8 in PEM. The text is a secret. */
export type CheckpointKey = { file: string } | { pem: string }

/** The key as the setting names it. */
interface KeySettings {
  dataFolder: string
  /** Null: made at first start and kept in the data folder, by a process that is alone with its log. */
  checkpointKey: CheckpointKey | null
}

/** An Ed25519 key in PKCS #8 without the lines around it: what fits into one line of a secret. */
const BARE = /^MC4C[A-Za-z0-9+/]+=*$/

/** A file's name, or the key itself: in PEM, or what stands between its first and its last line. */
export function checkpointKeyIn(setting: string): CheckpointKey {
  const text = setting.trim()
  if (text.startsWith('-----BEGIN ')) return { pem: text }
  if (BARE.test(text)) return { pem: `-----BEGIN PRIVATE KEY-----\n${text}\n-----END PRIVATE KEY-----\n` }
  return { file: resolve(text) }
}

/** The key of one process among several: none of them makes one of its own. @throws InvalidConfiguration */
export const openSharedKey = (settings: KeySettings): NoteSigner | null =>
  settings.checkpointKey === null ? null : openCheckpointKey(settings)

/** The key that signs checkpoints; made where the data folder has none yet. @throws InvalidConfiguration */
export function openCheckpointKey({ dataFolder, checkpointKey }: KeySettings): NoteSigner {
  if (checkpointKey === null) return noteSigner(keptSecret(dataFolder, KEY, newKey))
  const file = 'file' in checkpointKey ? checkpointKey.file : null
  try {
    return noteSigner('pem' in checkpointKey ? checkpointKey.pem : readFileSync(checkpointKey.file, 'utf8'))
  } catch (error) {
    const where = file === null ? '' : ` (${file})`
    throw new InvalidConfiguration(`MEDIALOG_CHECKPOINT_KEY cannot be used${where}: ${explain(error)}.`)
  }
}

const KEY = 'checkpoint-key.pem'

/** Where the key is that was made for a data folder. */
export const keyFile = (dataFolder: string): string => join(dataFolder, 'secrets', KEY)

const newKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
