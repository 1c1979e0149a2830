import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { noteSigner, parseVerifierKey, type NoteSigner } from '@medialog/contract/signed-note'
import type { FormerKey } from '@medialog/application'
import { explain } from '@medialog/kernel'
import { InvalidConfiguration } from './config-values.ts'
import type { Role } from './roles.ts'
import { keptSecret, readSecret, secretFile } from './secrets.ts'

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

/** As `checkpointKeyIn`, or a public key as verifiers of signed notes take it. */
export const formerKeyIn = (setting: string): CheckpointKey | { publicKey: string } =>
  /^\S+\+[0-9a-f]{8}\+\S+$/.test(setting.trim()) ? { publicKey: setting } : checkpointKeyIn(setting)

/** The key that signed before the present one, where the operator names it. @throws InvalidConfiguration */
export function openFormerKey({
  formerCheckpointKey: former,
}: {
  formerCheckpointKey: CheckpointKey | { publicKey: string } | null
}): FormerKey | null {
  if (former === null) return null
  return opened('MEDIALOG_FORMER_CHECKPOINT_KEY', former)
}

/** The key of one process among several: none of them makes one of its own. @throws InvalidConfiguration */
export const openSharedKey = ({ checkpointKey }: Pick<KeySettings, 'checkpointKey'>): NoteSigner | null =>
  checkpointKey === null ? null : (opened('MEDIALOG_CHECKPOINT_KEY', checkpointKey) as NoteSigner)

/** The key that signs checkpoints; made where the data folder has none yet. @throws InvalidConfiguration */
export function openCheckpointKey(settings: KeySettings): NoteSigner {
  return (
    openSharedKey(settings) ?? signerOf(settings.dataFolder, keptSecret(settings.dataFolder, KEY, newKey))
  )
}

/** The key that this process would sign with, as far as there is one. @throws InvalidConfiguration */
export function openPresentKey(settings: KeySettings & { roles: readonly Role[] | null }): NoteSigner | null {
  const shared = openSharedKey(settings)
  if (shared !== null || settings.roles !== null) return shared
  const kept = readSecret(settings.dataFolder, KEY)
  return kept === null ? null : signerOf(settings.dataFolder, kept)
}

function signerOf(dataFolder: string, pem: string): NoteSigner {
  try {
    return noteSigner(pem)
  } catch (error) {
    throw new InvalidConfiguration(
      `The key that signs checkpoints cannot be used (${keyFile(dataFolder)}): ${explain(error)}. Restore the file from a backup, or name a key in MEDIALOG_CHECKPOINT_KEY.`,
    )
  }
}

function opened(setting: string, key: CheckpointKey | { publicKey: string }): FormerKey {
  try {
    if ('publicKey' in key) return parseVerifierKey(key.publicKey)
    return noteSigner('pem' in key ? key.pem : readFileSync(key.file, 'utf8'))
  } catch (error) {
    const where = 'file' in key ? ` (${key.file})` : ''
    throw new InvalidConfiguration(`${setting} cannot be used${where}: ${explain(error)}.`)
  }
}

const KEY = 'checkpoint-key.pem'

/** Where the key is that was made for a data folder. */
export const keyFile = (dataFolder: string): string => secretFile(dataFolder, KEY)

const newKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
