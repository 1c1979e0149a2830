import { readFileSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder, writeDurably } from '@medialog/artifacts/fs/files'
import { z } from 'zod'
import { UnusableBackup } from './errors.ts'

/** Of the backup, not of the data folder in it: what this release writes, and the highest that it reads. */
const FORMAT = 1

const count = z.int().min(0)
const sha256 = z.string().regex(/^[0-9a-f]{64}$/)

const Manifest = z.object({
  format: z.literal(FORMAT),
  /** That made it. */
  release: z.string(),
  made_at: z.string(),
  /** Format of the data folder: what is older is migrated at its first start. */
  data_format: z.int().min(1),
  /** The folder below `runs/` that holds the files. */
  run: z.string().regex(/^[\w-]+$/),
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
})

export type Manifest = z.output<typeof Manifest>

const NAME = 'manifest.json'

/** Null where there is none: no backup into this folder was finished yet. @throws UnusableBackup */
export function readManifest(folder: string): Manifest | null {
  const text = textOf(join(folder, NAME))
  if (text === null) return null
  const json = parsed(text)
  const { format } = (json ?? {}) as { format?: unknown }
  if (typeof format === 'number' && format > FORMAT)
    throw new UnusableBackup(
      folder,
      `a newer release made it (format ${format}, this one reads up to ${FORMAT})`,
    )
  const manifest = Manifest.safeParse(json)
  if (manifest.success) return manifest.data
  throw new UnusableBackup(folder, `its ${NAME} is damaged`)
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
export async function writeManifest(folder: string, manifest: Omit<Manifest, 'format'>): Promise<void> {
  const part = join(folder, `${manifest.run}.part`)
  const text = `${JSON.stringify({ format: FORMAT, ...manifest }, null, 2)}\n`
  await writeDurably(part, (file) => file.writeFile(text))
  await rename(part, join(folder, NAME))
  await syncFolder(folder)
}
