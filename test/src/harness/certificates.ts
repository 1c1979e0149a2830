import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A certificate with its key, as PEM and as files of a folder of their own. */
export interface Certificate {
  pem: string
  key: string
  path: string
  keyPath: string
}

/** An authority that a test makes, which nothing else trusts. */
export interface Authority extends Certificate, Disposable {
  /** A certificate of this authority for a server of these names (and 127.0.0.1), or for a client. */
  issue(...names: string[]): Certificate
  /** Both authorities in one file, for what is trusted while a server goes from this one to the other. */
  andThen(other: Certificate): Pick<Certificate, 'pem' | 'path'>
}

const DAY_MS = 86_400_000
const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2'
const COMMON_NAME = '2.5.4.3'
const BASIC_CONSTRAINTS = '2.5.29.19'
const ALTERNATIVE_NAMES = '2.5.29.17'

/** Made by Node's own keys and signatures, so that tests need no other program. */
export function makeAuthority(): Authority {
  const folder = mkdtempSync(join(tmpdir(), 'medialog-certificates-'))
  const keys = newKeys()
  const isAuthority = [sequence(oid(BASIC_CONSTRAINTS), TRUE, octets(sequence(TRUE)))]
  const store = (name: string, der: Buffer, { privateKey }: Keys): Certificate => {
    const written = { pem: pemOf(der), key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string }
    const [path, keyPath] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)]
    writeFileSync(path, written.pem)
    writeFileSync(keyPath, written.key)
    return { ...written, path, keyPath }
  }
  // A client that trusts two finds the one that signed a certificate by its name.
  const authority = `authority ${randomBytes(4).toString('hex')}`
  const own = store('authority', certificate(authority, keys, authority, keys, isAuthority), keys)
  let issued = 0
  return {
    ...own,
    issue(...names) {
      const subject = newKeys()
      const alternatives = [...names.map((name) => tagged(0x82, Buffer.from(name))), LOOPBACK]
      const extensions = [sequence(oid(ALTERNATIVE_NAMES), octets(sequence(...alternatives)))]
      const name = `issued-${++issued}`
      return store(name, certificate(name, subject, authority, keys, extensions), subject)
    },
    andThen(other) {
      const both = { pem: own.pem + other.pem, path: join(folder, 'both.pem') }
      writeFileSync(both.path, both.pem)
      return both
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

interface Keys {
  publicKey: KeyObject
  privateKey: KeyObject
}

const newKeys = (): Keys => generateKeyPairSync('ec', { namedCurve: 'P-256' })

/** X.509 version 3 in DER (RFC 5280, section 4.1). */
function certificate(
  subject: string,
  { publicKey }: Keys,
  issuer: string,
  { privateKey: issuerKey }: Keys,
  extensions: Buffer[],
): Buffer {
  const algorithm = sequence(oid(ECDSA_WITH_SHA256))
  const serial = randomBytes(16)
  // Positive, and without a leading zero.
  serial[0] = (serial[0]! & 0x7f) | 0x40
  const body = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, serial),
    algorithm,
    nameOf(issuer),
    sequence(time(Date.now() - DAY_MS), time(Date.now() + DAY_MS)),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(...extensions)),
  )
  return sequence(body, algorithm, tagged(0x03, Buffer.from([0]), sign('sha256', body, issuerKey)))
}

function tagged(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...parts: Buffer[]): Buffer => tagged(0x30, ...parts)
const octets = (content: Buffer): Buffer => tagged(0x04, content)
const TRUE = tagged(0x01, Buffer.from([0xff]))
const LOOPBACK = tagged(0x87, Buffer.from([127, 0, 0, 1]))

function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const bytes = rest.flatMap((part) => {
    const groups = [part & 0x7f]
    for (let left = part >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80)
    return groups
  })
  return tagged(0x06, Buffer.from([40 * first + second, ...bytes]))
}

const nameOf = (name: string): Buffer =>
  sequence(tagged(0x31, sequence(oid(COMMON_NAME), tagged(0x0c, Buffer.from(name)))))

/** UTCTime: YYMMDDHHMMSSZ */
const time = (at: number): Buffer =>
  tagged(
    0x17,
    Buffer.from(
      new Date(at)
        .toISOString()
        .replaceAll(/\.\d+|[-:T]/g, '')
        .slice(2),
    ),
  )

const pemOf = (der: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${der
    .toString('base64')
    .match(/.{1,64}/g)!
    .join('\n')}\n-----END CERTIFICATE-----\n`

/** As settings of a client have what it proves itself with. */
export const identityOf = ({ path, pem, key, keyPath }: Certificate) => ({
  certificate: { path, pem },
  key: { path: keyPath, pem: key },
})
