import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'

/** Of a file below `infra/`, or of one beside it: `../Dockerfile`. */
export const infraPath = (name: string): string =>
  fileURLToPath(new URL(`../../../infra/${name}`, import.meta.url))

export const infraFile = (name: string): string => readFileSync(infraPath(name), 'utf8')

export interface ComposeService {
  image?: string
  build?: unknown
  command?: string[]
  environment?: Record<string, string>
  ports?: string[]
  networks?: string[]
  healthcheck?: { test: string[] }
  depends_on?: Record<string, { condition: string }>
  volumes?: string[]
}
export interface ComposeFile {
  services: Record<string, ComposeService>
  volumes?: Record<string, unknown>
}

/** With anchors and merges carried out. */
export const composeFile = (name: string): ComposeFile =>
  parse(infraFile(name), { merge: true }) as ComposeFile
