import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createSecureContext } from 'node:tls'
import type { EngineTls, PemFile } from '@medialog/application'
import { explain } from '@medialog/kernel'
import { z } from 'zod'
import { InvalidConfiguration, parsed, text } from './config-values.ts'

const PARTS = ['CA_FILE', 'CERT_FILE', 'KEY_FILE', 'SERVER_NAME'] as const
export type TlsPart = (typeof PARTS)[number]

export interface TlsOptions {
  /** What the settings' names begin with: `KAFKA` for `KAFKA_TLS_CA_FILE`. */
  engine: string
  /** Whether the server is spoken to over TLS at all, and what makes it so, for people. */
  isOn: boolean
  turnedOnBy: string
  /** What its client knows of. */
  parts?: readonly TlsPart[]
}

/** The names of an engine's settings. */
export const tlsVariables = (engine: string, parts: readonly TlsPart[] = PARTS): string[] =>
  parts.map((part) => `${engine}_TLS_${part}`)

/**
 * The settings `<ENGINE>_TLS_CA_FILE`, `_CERT_FILE`, `_KEY_FILE` and `_SERVER_NAME`, their files read and looked at. Null
 * where TLS is off; anything else that begins with `<ENGINE>_TLS_` is refused, rather than let pass unheard.
 * @throws InvalidConfiguration
 */
export function readTlsSettings(
  environment: Record<string, string | undefined>,
  { engine, isOn, turnedOnBy, parts = PARTS }: TlsOptions,
): EngineTls | null {
  const prefix = `${engine}_TLS_`
  const known = tlsVariables(engine, parts)
  const named = Object.keys(environment).filter((name) => name.startsWith(prefix))
  const other = named.find((name) => !known.includes(name))
  if (other !== undefined)
    throw new InvalidConfiguration(`${other} is set, but TLS is configured by ${known.join(', ')} only.`)
  if (!isOn && named.length > 0)
    throw new InvalidConfiguration(
      `${named[0]} means something only with ${turnedOnBy}: set that, or unset it.`,
    )
  if (!isOn) return null
  const values = parsed(z.object(Object.fromEntries(named.map((name) => [name, text]))), environment)
  const valueOf = (part: TlsPart) => values[prefix + part]
  const file = (part: TlsPart, what: string, check: (pem: string) => unknown): PemFile | null => {
    const path = valueOf(part)
    return path === undefined ? null : readPem(prefix + part, resolve(path), what, check)
  }
  const ca = file('CA_FILE', 'a certificate', certificatesIn)
  const certificate = file('CERT_FILE', 'a certificate', certificatesIn)
  const key = file('KEY_FILE', 'a private key without a passphrase', createPrivateKey)
  if ((certificate === null) !== (key === null))
    throw new InvalidConfiguration(`${prefix}CERT_FILE and ${prefix}KEY_FILE go together: set both or none.`)
  const identity = certificate && key ? { certificate, key } : null
  if (identity && !fits(identity))
    throw new InvalidConfiguration(
      `${prefix}KEY_FILE is not the key of the certificate in ${prefix}CERT_FILE.`,
    )
  return { ca, identity, serverName: valueOf('SERVER_NAME') ?? null }
}

/** Never says what is in the file. */
function readPem(name: string, path: string, what: string, check: (pem: string) => unknown): PemFile {
  const pem = contentOf(name, path)
  try {
    check(pem)
  } catch {
    throw new InvalidConfiguration(`${name}: ${path} does not hold ${what} in PEM form.`)
  }
  return { path, pem }
}

function contentOf(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new InvalidConfiguration(`${name}: the file cannot be read: ${explain(error)}.`)
  }
}

/** Node takes the first of several, and a file without any for none at all. */
function certificatesIn(pem: string): X509Certificate[] {
  const found = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  if (found.length === 0) throw new Error('there is none')
  return found.map((one) => new X509Certificate(one))
}

function fits({ certificate, key }: NonNullable<EngineTls['identity']>): boolean {
  try {
    createSecureContext({ cert: certificate.pem, key: key.pem })
    return true
  } catch {
    return false
  }
}
