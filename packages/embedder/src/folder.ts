import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { createEmbedder, type EmbedderOptions, type LocalEmbedder } from './embedder.ts'
import { POOLINGS, type EmbeddingModel } from './model.ts'

/** A model's folder cannot be used. The message is one line that says which and why. */
export class UnusableModel extends Error {
  override name = 'UnusableModel'

  constructor(folder: string, why: string, options?: ErrorOptions) {
    super(`the model in ${folder} cannot be used: ${oneLine(why)}`, options)
  }
}

const LONGEST_REASON = 300
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, LONGEST_REASON)

const MIB = 2 ** 20
/** Largest files in bytes. */
const LIMITS = {
  'embedder.json': MIB / 16,
  'vocab.txt': 32 * MIB,
  'tokenizer.json': 64 * MIB,
  'model.onnx': 1024 * MIB,
  'model.onnx_data': 4096 * MIB,
}

const Description = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'must be 1 to 100 letters, digits, ".", "_" or "-"'),
  dimensions: z.int().min(8).max(4000),
  pooling: z.enum(POOLINGS),
  max_tokens: z.int().min(16).max(8192),
  prefix: z
    .strictObject({ query: z.string().max(1000).default(''), document: z.string().max(1000).default('') })
    .default({ query: '', document: '' }),
  cosine_floor: z.number().min(0).max(0.95),
  latin_only: z.boolean().default(false),
})

/**
 * The model of a folder: `model.onnx`, maybe with `model.onnx_data`, `tokenizer.json` or else `vocab.txt`, and
 * `embedder.json`; docs/embeddings.md says what is in them. Its name holds a digest of all that its vectors depend on.
 * @throws UnusableModel
 */
export async function readModelFolder(path: string): Promise<EmbeddingModel> {
  const folder = resolve(path)
  const file = (name: keyof typeof LIMITS): Promise<string> => checkedFile(folder, name)
  const {
    name,
    cosine_floor: cosineFloor,
    latin_only: latinOnly,
    ...described
  } = await readDescription(folder, await file('embedder.json'))
  const onnx = await file('model.onnx')
  const weights = (await isThere(join(folder, 'model.onnx_data'))) ? await file('model.onnx_data') : null
  const kind = (await isThere(join(folder, 'tokenizer.json'))) ? 'tokenizer.json' : 'vocab.txt'
  const tokenizer = { kind, path: await file(kind) } as const
  const digest = createHash('sha256').update(JSON.stringify(described))
  for (const each of [onnx, weights, tokenizer.path].filter((one) => one !== null))
    await pipeline(createReadStream(each), async (chunks) => {
      for await (const chunk of chunks) digest.update(chunk)
    })
  const { dimensions, pooling, max_tokens: maxTokens, prefix } = described
  return {
    name: `${name}@${digest.digest('hex').slice(0, 8)}`,
    onnx,
    weights,
    tokenizer,
    dimensions,
    pooling,
    maxTokens,
    prefix,
    cosineFloor,
    latinOnly,
  }
}

/** An embedder over the model of a folder, tried out on a text. @throws UnusableModel */
export async function openModelFolder(
  folder: string,
  options: Omit<EmbedderOptions, 'model'> = {},
): Promise<LocalEmbedder> {
  const model = await readModelFolder(folder)
  try {
    return await createEmbedder({ ...options, model })
  } catch (error) {
    const { message, cause } = error as Error
    throw new UnusableModel(resolve(folder), cause instanceof Error ? cause.message : message, {
      cause: error,
    })
  }
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

async function checkedFile(folder: string, name: keyof typeof LIMITS): Promise<string> {
  const path = join(folder, name)
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw new UnusableModel(folder, error.message)
    throw new UnusableModel(folder, `${name} is missing`)
  })
  if (!found.isFile()) throw new UnusableModel(folder, `${name} is not a file`)
  if (found.size > LIMITS[name])
    throw new UnusableModel(folder, `${name} has ${found.size} bytes, and ${LIMITS[name]} are the most`)
  return path
}

async function readDescription(folder: string, path: string): Promise<z.output<typeof Description>> {
  let value: unknown
  try {
    value = JSON.parse(await readFile(path, 'utf8'))
  } catch (cause) {
    throw new UnusableModel(folder, `embedder.json is not JSON (${(cause as Error).message})`)
  }
  const parsed = Description.safeParse(value)
  if (parsed.success) return parsed.data
  const [{ path: at, message }] = parsed.error.issues as [z.core.$ZodIssue]
  throw new UnusableModel(folder, `embedder.json, ${at.join('.') || 'as a whole'}: ${message}`)
}
