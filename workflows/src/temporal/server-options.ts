import type { EngineTls } from '@medialog/application'

/** Address and credentials of the server, as the SDK's clients and workers take them alike. */
export interface ServerOptions {
  address: string
  tls?: {
    serverRootCACertificate?: Buffer
    clientCertPair?: { crt: Buffer; key: Buffer }
    serverNameOverride?: string
  }
  apiKey?: string
}

export const serverOptions = ({
  address,
  tls,
  apiKey,
}: {
  address: string
  tls?: EngineTls | null
  apiKey?: string | null
}): ServerOptions => ({
  address,
  ...(tls && { tls: sdkTls(tls) }),
  ...(apiKey && { apiKey }),
})

const sdkTls = ({ ca, identity, serverName }: EngineTls): NonNullable<ServerOptions['tls']> => ({
  ...(ca && { serverRootCACertificate: Buffer.from(ca.pem) }),
  ...(identity && {
    clientCertPair: { crt: Buffer.from(identity.certificate.pem), key: Buffer.from(identity.key.pem) },
  }),
  ...(serverName !== null && { serverNameOverride: serverName }),
})
