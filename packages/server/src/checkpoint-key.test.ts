import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { noteSigner, verifierKey } from '@medialog/contract/signed-note'
import {
  checkpointKeyIn,
  formerKeyIn,
  keyFile,
  openCheckpointKey,
  openFormerKey,
  openSharedKey,
} from './checkpoint-key.ts'

let dataFolder: string
beforeAll(() => {
  dataFolder = mkdtempSync(join(tmpdir(), 'medialog-key-'))
})
afterAll(() => rmSync(dataFolder, { recursive: true }))

const { privateKey } = generateKeyPairSync('ed25519')
const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
const der = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')

test('a key is one, whether it is a file, PEM or one line', () => {
  const file = join(dataFolder, 'key.pem')
  writeFileSync(file, pem)
  const signers = [file, pem, der].map((text) =>
    openCheckpointKey({ dataFolder, checkpointKey: checkpointKeyIn(text) }),
  )
  const [expected] = signers.map(({ publicKey }) => publicKey.toString('hex'))
  expect(expected).toHaveLength(64)
  for (const { publicKey } of signers) expect(publicKey.toString('hex')).toBe(expected)
})

test('what is no key is said, without saying what was given', () => {
  const opened = (text: string) => () =>
    openCheckpointKey({ dataFolder, checkpointKey: checkpointKeyIn(text) })
  expect(opened(join(dataFolder, 'nowhere'))).toThrow(
    /^MEDIALOG_CHECKPOINT_KEY cannot be used \(.*nowhere\): /,
  )
  const broken = pem.replace('MC4C', 'MC4D')
  expect(opened(broken)).toThrow('MEDIALOG_CHECKPOINT_KEY cannot be used: it is no private key in PEM.')
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const text = other.export({ format: 'pem', type: 'pkcs8' }).toString()
  expect(opened(text)).toThrow('a key of another kind than Ed25519')
})

test('a process that is alone makes one and keeps it; among several none does', () => {
  const settings = { dataFolder, checkpointKey: null }
  expect(openSharedKey(settings)).toBeNull()
  const made = openCheckpointKey(settings).publicKey
  expect(openCheckpointKey(settings).publicKey).toEqual(made)
  expect(openCheckpointKey({ dataFolder, checkpointKey: { file: keyFile(dataFolder) } }).publicKey).toEqual(
    made,
  )
})

test('a former key is named as one, or by its public half', () => {
  const { publicKey } = noteSigner(pem)
  const open = (text: string) => openFormerKey({ formerCheckpointKey: formerKeyIn(text) })!
  expect(openFormerKey({ formerCheckpointKey: null })).toBeNull()
  expect(open(der)).toMatchObject({ publicKey, sign: expect.any(Function) })
  expect(open(verifierKey({ name: 'medialog/a', publicKey }))).not.toHaveProperty('sign')
  expect(open(verifierKey({ name: 'medialog/a', publicKey })).publicKey).toEqual(publicKey)
  expect(() => open('medialog/a+00000000+AQ==')).toThrow(/^MEDIALOG_FORMER_CHECKPOINT_KEY cannot be used: /)
})
