import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { hasCode } from '@medialog/artifacts/fs/files'
import { newKeys, type EncryptTo, type OpenWith } from './encryption.ts'
import { MaintenanceRefused } from './errors.ts'

/** Files with one key a line, as `age-keygen` writes them, or with a passphrase. */
export interface KeyFiles {
  /** Public keys, or files of them. */
  recipients?: readonly string[]
  identityFile?: string
  passphraseFile?: string
}

/** Null where nothing is to be encrypted. @throws MaintenanceRefused */
export function encryptToOf({ recipients, passphraseFile }: KeyFiles): EncryptTo | null {
  if (recipients !== undefined && passphraseFile !== undefined)
    throw new MaintenanceRefused('A backup is encrypted to keys or with a passphrase, not both.')
  if (passphraseFile !== undefined) return { passphrase: passphraseIn(passphraseFile) }
  if (recipients === undefined) return null
  return { recipients: recipients.flatMap((named) => (named.startsWith('age1') ? [named] : linesOf(named))) }
}

/** Null where no key is named. @throws MaintenanceRefused */
export function openWithOf({ identityFile, passphraseFile }: KeyFiles): OpenWith | null {
  if (passphraseFile !== undefined) return { passphrase: passphraseIn(passphraseFile) }
  return identityFile === undefined ? null : { identities: linesOf(identityFile) }
}

/** Writes a new secret key where no file is yet, readable by its owner alone. Answers the public one. @throws MaintenanceRefused */
export async function writeKeys(file: string): Promise<string> {
  const { identity, recipient } = await newKeys()
  try {
    await writeFile(file, `# public key: ${recipient}\n${identity}\n`, {
      mode: 0o600,
      flag: 'wx',
      flush: true,
    })
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
    throw new MaintenanceRefused(`${file} is there already: a key that encrypted backups is not overwritten.`)
  }
  return recipient
}

/** @throws MaintenanceRefused where there is none */
function linesOf(file: string): string[] {
  const lines = textIn(file)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
  if (lines.length === 0) throw new MaintenanceRefused(`${file} holds no key.`)
  return lines
}

/** Its first line. @throws MaintenanceRefused where that is too short to hold against guessing */
function passphraseIn(file: string): string {
  const passphrase = textIn(file).split('\n')[0]!.trim()
  if (passphrase.length >= SHORTEST) return passphrase
  throw new MaintenanceRefused(
    `The passphrase in ${file} is too short: it takes ${SHORTEST} characters or more, in the first line.`,
  )
}

/** Ten random characters take longer to guess than they are worth; age's own passphrases have ten words. */
const SHORTEST = 10

function textIn(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new MaintenanceRefused(`${file} cannot be read: ${(error as Error).message}`)
  }
}
