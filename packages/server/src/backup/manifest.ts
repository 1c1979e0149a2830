import { readFileSync } from 'node:fs'
import { readFile, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncFolder, writeDurably } from '@medialog/artifacts/fs/files'
import { z } from 'zod'
import { MANIFEST, runFolder } from './backup-folder.ts'
import {
  encryptedForm,
  decryptionOf,
  PLAIN,
  type Encryption,
  type FileForm,
  type OpenWith,
} from './encryption.ts'
import { UnusableBackup } from './errors.ts'

/** Of the backup, not of the data folder in it: one that is not encrypted, and the highest that this release reads. */
const PLAIN_FORMAT = 1
const ENCRYPTED_FORMAT = 2

const count = z.int().min(0)
const sha256 = z.string().regex(/^[0-9a-f]{64}$/)

const Heading = z.object({
  /** That made it. */
  release: z.string(),
  made_at: z.string(),
  /** The folder below `runs/` that holds the files. */
  run: z.string().regex(/^[\w-]+$/),
})

const Manifest = z.object({
  format: z.literal(PLAIN_FORMAT),
  ...Heading.shape,
  /** Format of the data folder: what is older is migrated at its first start. */
  data_format: z.int().min(1),
  /** Of the last event that is in it. */
  position: count,
  events: count,
  accounts: count,
  items: count,
  /** All accounts' together, as a decimal string of nano-USD. */
  balance: z.string().regex(/^-?\d+$/),
  artifacts: z.object({ files: count, bytes: count }),
  /** A signed note over all its events, and the public key that proves it. */
  checkpoint: z.string(),
  key: z.string(),
  /** By their paths in the data folder; artifacts have their digests in the log. */
  files: z.record(z.string().regex(/^[\w-]+\/[\w.-]+$/), z.object({ sha256, size: count })),
  /** Of an encrypted backup: what the names of its artifacts are made with. */
  name_key: sha256.optional(),
})

export type Manifest = z.output<typeof Manifest>

/** What can be read of an encrypted backup without its key; the manifest lies encrypted among its files. */
const Envelope = z.object({
  format: z.literal(ENCRYPTED_FORMAT),
  ...Heading.shape,
  /** Public keys; none: a passphrase. */
  encrypted_to: z.array(z.string()),
})
type Envelope = z.output<typeof Envelope>

/** The backup that a folder holds, or one that it holds besides; null where there is none. @throws UnusableBackup */
export function readHeading(folder: string, run?: string): Manifest | Envelope | null {
  const text = textOf(join(run === undefined ? folder : runFolder(folder, run), MANIFEST))
  if (text === null) return null
  const json = parsed(text)
  const { format } = (json ?? {}) as { format?: unknown }
  if (typeof format === 'number' && format > ENCRYPTED_FORMAT)
    throw new UnusableBackup(
      folder,
      `a newer release made it (format ${format}, this one reads up to ${ENCRYPTED_FORMAT})`,
    )
  return format === ENCRYPTED_FORMAT ? read(Envelope, json, folder) : read(Manifest, json, folder)
}

/** The same for one that has to be there. @throws UnusableBackup */
export function requireHeading(folder: string, run?: string): Manifest | Envelope {
  const heading = readHeading(folder, run)
  if (heading !== null) return heading
  throw new UnusableBackup(
    folder,
    run === undefined ? `there is no ${MANIFEST} in it` : `it has no backup ${run}`,
  )
}

/** A backup that can be read, and how. @throws UnusableBackup */
export async function openManifest(
  folder: string,
  openWith: OpenWith | null,
  run?: string,
): Promise<{ manifest: Manifest; form: FileForm }> {
  const heading = requireHeading(folder, run)
  if (heading.format === PLAIN_FORMAT) return { manifest: heading, form: PLAIN }
  if (openWith === null)
    throw new UnusableBackup(
      folder,
      heading.encrypted_to.length > 0
        ? `it is encrypted to ${heading.encrypted_to.join(', ')}: name a file with the secret key, --identity FILE`
        : 'it is encrypted with a passphrase: name a file that holds it, --passphrase-file FILE',
    )
  const cipher = await decryptionOf(folder, openWith)
  const sealed = await readFile(sealedPath(folder, heading.run))
  let text: string
  try {
    text = new TextDecoder().decode(await cipher(sealed))
  } catch {
    throw new UnusableBackup(folder, 'the key does not open it, or its manifest is damaged')
  }
  const manifest = read(Manifest, parsed(text), folder)
  if (manifest.run !== heading.run || manifest.name_key === undefined)
    throw new UnusableBackup(folder, `its ${MANIFEST} is of another backup`)
  return { manifest, form: encryptedForm(cipher, manifest.name_key) }
}

const sealedPath = (folder: string, run: string): string => join(runFolder(folder, run), `${MANIFEST}.age`)

function read<T>(shape: z.ZodType<T>, json: unknown, folder: string): T {
  const found = shape.safeParse(json)
  if (found.success) return found.data
  throw new UnusableBackup(folder, `its ${MANIFEST} is damaged`)
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** From here on this is the backup that the folder holds; until then it was the one before. */
export async function writeManifest(
  folder: string,
  content: Omit<Manifest, 'format'>,
  encryption: Encryption | null,
): Promise<Manifest> {
  const { release, made_at, run } = content
  const manifest: Manifest = {
    format: PLAIN_FORMAT,
    ...content,
    ...(encryption && { name_key: encryption.nameKey }),
  }
  const heading: Manifest | Envelope =
    encryption === null
      ? manifest
      : { format: ENCRYPTED_FORMAT, release, made_at, run, encrypted_to: [...encryption.recipients] }
  if (encryption) {
    const sealed = await encryption.cipher(new TextEncoder().encode(textOfJson(manifest)))
    await writeDurably(sealedPath(folder, run), (file) => file.writeFile(sealed))
  }
  await writeDurably(join(runFolder(folder, run), MANIFEST), (file) => file.writeFile(textOfJson(heading)))
  for (const changed of [runFolder(folder, run), dirname(runFolder(folder, run))]) await syncFolder(changed)
  const part = join(folder, `${run}.part`)
  await writeDurably(part, (file) => file.writeFile(textOfJson(heading)))
  await rename(part, join(folder, MANIFEST))
  await syncFolder(folder)
  return manifest
}

const textOfJson = (value: object): string => `${JSON.stringify(value, null, 2)}\n`
