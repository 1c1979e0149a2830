import { createPrivateKey, createPublicKey, hash, sign, verify, type KeyObject } from 'node:crypto'

/**
 * Signed notes with Ed25519, as C2SP's signed-note and tlog-checkpoint have them: texts that other implementations verify.
 *
 *     text, lines that each end with a newline
 *     (an empty line)
 *     — <name of the key> <base64( key id (4 bytes) ‖ signature (64 bytes) )>
 */

/** A text that is signed, and by whom. The name holds neither spaces nor `+`. */
export interface NoteKey {
  name: string
  /** 32 bytes. */
  publicKey: Buffer
}

export interface NoteSigner {
  /** 32 bytes. */
  publicKey: Buffer
  sign(text: string): Buffer
}

/** The note, its signature or its key is not what it should be; the message says what. */
export class InvalidNote extends Error {
  override name = 'InvalidNote'
}

const ED25519 = 1
/** What stands before the 32 bytes of a key in DER (RFC 8410). */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex')
const SIGNATURE = /^— (\S+) ([A-Za-z0-9+/]+={0,2})$/

/** @param pem PKCS #8. @throws InvalidNote for a key of another kind */
export function noteSigner(pem: string): NoteSigner {
  const key = privateKeyIn(pem)
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(SPKI.length)
  return { publicKey, sign: (text) => sign(null, Buffer.from(text), key) }
}

function privateKeyIn(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch (error) {
    throw new InvalidNote('it is no private key in PEM', { cause: error })
  }
  throw new InvalidNote('it is a key of another kind than Ed25519')
}

const idOf = ({ name, publicKey }: NoteKey): Buffer =>
  hash(
    'sha256',
    Buffer.concat([Buffer.from(`${name}\n`), Buffer.from([ED25519]), publicKey]),
    'buffer',
  ).subarray(0, 4)

/** The key as verifiers of notes take it: `name+id+base64(type ‖ key)`. */
export const verifierKey = (key: NoteKey): string =>
  `${key.name}+${idOf(key).toString('hex')}+${Buffer.concat([Buffer.from([ED25519]), key.publicKey]).toString('base64')}`

/** @throws InvalidNote */
export function parseVerifierKey(text: string): NoteKey {
  const [, name, id, encoded] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/.exec(text.trim()) ?? []
  const bytes = Buffer.from(encoded ?? '', 'base64')
  if (name === undefined || bytes.length !== 33 || bytes[0] !== ED25519)
    throw new InvalidNote('it is no public key of the form name+id+key for Ed25519')
  const key = { name, publicKey: bytes.subarray(1) }
  if (idOf(key).toString('hex') !== id) throw new InvalidNote('the id of the public key is not its own')
  return key
}

/** @param text lines that each end with a newline, none of them empty */
export function signNote(text: string, name: string, ...signers: readonly NoteSigner[]): string {
  const lines = signers.map((signer) => {
    const signature = Buffer.concat([idOf({ name, publicKey: signer.publicKey }), signer.sign(text)])
    return `— ${name} ${signature.toString('base64')}\n`
  })
  return `${text}\n${lines.join('')}`
}

/** The text of a note that one of the keys signed, and which. @throws InvalidNote */
export function openNote(note: string, keys: readonly NoteKey[]): { text: string; key: NoteKey } {
  const end = note.lastIndexOf('\n\n')
  if (end < 0) throw new InvalidNote('it is no signed note')
  const text = note.slice(0, end + 1)
  for (const line of note.slice(end + 2).split('\n')) {
    const [, name, encoded] = SIGNATURE.exec(line) ?? []
    const bytes = Buffer.from(encoded ?? '', 'base64')
    for (const key of keys)
      if (
        key.name === name &&
        bytes.subarray(0, 4).equals(idOf(key)) &&
        isSigned(text, bytes.subarray(4), key)
      )
        return { text, key }
  }
  throw new InvalidNote('no signature of a known key is on it, or it was changed since')
}

function isSigned(text: string, signature: Buffer, { publicKey }: NoteKey): boolean {
  const key = createPublicKey({ key: Buffer.concat([SPKI, publicKey]), format: 'der', type: 'spki' })
  return verify(null, Buffer.from(text), key, signature)
}
