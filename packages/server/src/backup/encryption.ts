import { createHmac, randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { syncFolder, writeDurably } from '@medialog/artifacts/fs/files'
import { explain } from '@medialog/kernel'
import { keptSecret } from '../secrets.ts'
import { MaintenanceRefused, UnusableBackup } from './errors.ts'

type Bytes = Uint8Array
type ByteStream = ReadableStream<Uint8Array>

/** Encrypts or decrypts: bytes at once, or as they come. */
export interface Cipher {
  (bytes: Bytes): Promise<Bytes>
  (stream: ByteStream): Promise<ByteStream>
}

/** How files lie in a folder of backups: as they are, or encrypted. */
export interface FileForm {
  cipher: Cipher
  /** Where a file of the data folder lies. */
  pathOf: (path: string) => string
  /** What the file of an artifact is called, by the digest of its bytes. */
  nameOf: (sha256: string) => string
  /** Whether a file of that size can be all of an artifact. */
  isWhole: (fileSize: number, size: number) => boolean
}

export const PLAIN: FileForm = {
  cipher: (async (data: Bytes | ByteStream) => data) as Cipher,
  pathOf: (path) => path,
  nameOf: (sha256) => sha256,
  isWhole: (fileSize, size) => fileSize === size,
}

/** Public keys of age, or a passphrase. */
export type EncryptTo = { recipients: readonly string[] } | { passphrase: string }
/** Secret keys of age, or a passphrase. */
export type OpenWith = { identities: readonly string[] } | { passphrase: string }

/** The key of a folder of backups with a passphrase, which that encrypts: it takes a second to try one. */
const IDENTITY = 'identity.age'

export interface Encryption extends FileForm {
  /** Public keys that the files are encrypted to, where they are no passphrase's. */
  recipients: readonly string[]
  /** Of the names of artifacts, in hexadecimal: no digest of what is stored shows in them. */
  nameKey: string
}

/** @throws MaintenanceRefused where a key is not one of age, or another passphrase was used before */
export async function encryptionTo(
  encryptTo: EncryptTo,
  folder: string,
  dataFolder: string,
): Promise<Encryption> {
  const { Encrypter, identityToRecipient } = await import('age-encryption')
  const recipients =
    'recipients' in encryptTo
      ? [...new Set(encryptTo.recipients)].sort()
      : [await identityToRecipient(await identityOf(folder, encryptTo.passphrase))]
  const encrypter = new Encrypter()
  for (const recipient of recipients)
    try {
      encrypter.addRecipient(recipient)
    } catch {
      // It may be a secret one: that is not for any log.
      throw new MaintenanceRefused(
        'What the backup is to be encrypted to is no public key of age: one begins with age1. `medialog backup key FILE` makes a pair of keys.',
      )
    }
  // Others than before have new names: what the former ones can read is copied again.
  const kept = keptSecret(dataFolder, 'backup-names', () => randomBytes(32).toString('hex'))
  const nameKey = createHmac('sha256', kept).update(recipients.join(' ')).digest('hex')
  const cipher = ((data: Bytes) => encrypter.encrypt(data)) as Cipher
  return {
    ...encryptedForm(cipher, nameKey),
    recipients: 'recipients' in encryptTo ? recipients : [],
    nameKey,
  }
}

/** How encrypted files lie, written or read through the cipher. */
export const encryptedForm = (cipher: Cipher, nameKey: string): FileForm => ({
  cipher,
  pathOf: (path) => `${path}.age`,
  nameOf: (sha256) => `${createHmac('sha256', nameKey).update(sha256).digest('hex')}.age`,
  isWhole: (fileSize, size) => fileSize > size,
})

/** @throws UnusableBackup where the passphrase is another, or a key is not one of age */
export async function decryptionOf(folder: string, openWith: OpenWith): Promise<Cipher> {
  const { Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  const identities =
    'identities' in openWith ? openWith.identities : [await keptIdentity(folder, openWith.passphrase)]
  for (const identity of identities)
    try {
      decrypter.addIdentity(identity)
    } catch {
      throw new UnusableBackup(folder, 'what should open it is no secret key of age')
    }
  return ((data: Bytes) => decrypter.decrypt(data)) as Cipher
}

/** A pair of keys: `{ identity, recipient }`, the secret one first. */
export async function newKeys(): Promise<{ identity: string; recipient: string }> {
  const { generateX25519Identity, identityToRecipient } = await import('age-encryption')
  const identity = await generateX25519Identity()
  return { identity, recipient: await identityToRecipient(identity) }
}

/** The key that a folder has for its passphrase, made where it has none. */
async function identityOf(folder: string, passphrase: string): Promise<string> {
  const path = join(folder, IDENTITY)
  if (existsSync(path)) return keptIdentity(folder, passphrase)
  const { Encrypter } = await import('age-encryption')
  const { identity } = await newKeys()
  const encrypter = new Encrypter()
  encrypter.setPassphrase(passphrase)
  const sealed = await encrypter.encrypt(identity)
  await writeDurably(path, (file) => file.writeFile(sealed))
  await syncFolder(folder)
  return identity
}

async function keptIdentity(folder: string, passphrase: string): Promise<string> {
  const path = join(folder, IDENTITY)
  if (!existsSync(path)) throw new UnusableBackup(folder, 'it is encrypted to keys, not with a passphrase')
  const { Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  decrypter.addPassphrase(passphrase)
  try {
    return await decrypter.decrypt(readFileSync(path), 'text')
  } catch (error) {
    throw new UnusableBackup(
      folder,
      `the passphrase is not the one that it was made with (${explain(error)})`,
    )
  }
}
