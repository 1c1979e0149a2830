/** How an engine's server is spoken to over TLS. All null: its certificate is of an authority that the machine trusts. */
export interface EngineTls {
  /** The authority that its certificate is of. */
  ca: PemFile | null
  /** The client certificate, where the server wants one. */
  identity: { certificate: PemFile; key: PemFile } | null
  /** What its certificate is for, where that is not the host of its address. */
  serverName: string | null
}

export interface PemFile {
  /** Absolute: for clients that read files themselves. */
  path: string
  pem: string
}

/** The same as Node's `tls` takes it. */
export const nodeTls = ({ ca, identity, serverName }: EngineTls) => ({
  ...(ca && { ca: ca.pem }),
  ...(identity && { cert: identity.certificate.pem, key: identity.key.pem }),
  ...(serverName !== null && { servername: serverName }),
})
