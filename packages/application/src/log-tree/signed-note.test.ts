import { generateKeyPairSync } from 'node:crypto'
import {
  InvalidNote,
  noteSigner,
  openNote,
  parseVerifierKey,
  signNote,
  verifierKey,
} from '@medialog/contract/signed-note'
import { expect, test } from 'vitest'
import { checkpointText, parseCheckpoint } from './checkpoint.ts'

const pem = (type: 'ed25519' | 'x25519' = 'ed25519') =>
  generateKeyPairSync(type as 'ed25519')
    .privateKey.export({ format: 'pem', type: 'pkcs8' })
    .toString()

/** From the documentation of Go's golang.org/x/mod/sumdb/note. */
const GO = {
  key: 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
  note:
    "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n" +
    '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n',
}

test('a note that another implementation signed is opened, and its key written as it writes it', () => {
  const key = parseVerifierKey(GO.key)
  expect(openNote(GO.note, [key]).text).toMatch(/^If you think .*\n.* is\.\n$/)
  expect(verifierKey(key)).toBe(GO.key)
})

test('what was signed is opened by its own key alone, and unchanged', () => {
  const [signer, other] = [noteSigner(pem()), noteSigner(pem())]
  const key = parseVerifierKey(verifierKey({ name: 'medialog/a', publicKey: signer.publicKey }))
  const text = checkpointText({ origin: 'medialog/a', size: 7, root: Buffer.alloc(32, 5) })
  const note = signNote(text, 'medialog/a', signer)
  expect(parseCheckpoint(openNote(note, [key]).text)).toEqual({
    origin: 'medialog/a',
    size: 7,
    root: Buffer.alloc(32, 5),
  })
  const refused: [note: string, keys: (typeof key)[]][] = [
    [note.replace('\n7\n', '\n8\n'), [key]],
    [note.replace('— medialog/a', '— medialog/b'), [key]],
    [note, []],
    [note, [{ ...key, publicKey: other.publicKey }]],
    [note, [{ ...key, name: 'medialog/b' }]],
    [text, [key]],
    ['', [key]],
  ]
  for (const [changed, keys] of refused) expect(() => openNote(changed, keys)).toThrow(InvalidNote)
})

test.each(['', 'name+id+key', GO.key.replace('c7', 'c8'), GO.key.slice(0, -4), `${GO.key.slice(0, 22)}Ag==`])(
  'the public key %j is refused',
  (text) => {
    expect(() => parseVerifierKey(text)).toThrow(InvalidNote)
  },
)

test('a private key of another kind, or none, is refused', () => {
  expect(() => noteSigner(pem('x25519'))).toThrow('another kind than Ed25519')
  expect(() => noteSigner('-----BEGIN')).toThrow('no private key in PEM')
})

test.each(['medialog/a\n7\n', 'medialog/a\n07\nAAAA\n', 'a b\n7\nAAAA\n', 'medialog/a\n-1\nAAAA\n'])(
  '%j is no checkpoint',
  (text) => {
    expect(() => parseCheckpoint(text)).toThrow(InvalidNote)
  },
)
