import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MODEL_IN_THE_BOX } from '../model.ts'

interface TinyModel {
  name?: string
  dimensions?: number
  cosineFloor?: number
  prefix?: { query?: string; document?: string }
}

/** Words of the vocabulary in the box. */
const VOCABULARY = 30_522

/**
 * Writes the folder of a model that knows no more than which words a text has: each word is a direction of its own, and
 * a text the mean of its words. A graph of one operator, put together byte by byte.
 */
export async function writeTinyModel(
  folder: string,
  { name = 'tiny', dimensions = 48, cosineFloor = 0.3, prefix = {} }: TinyModel = {},
): Promise<string> {
  await mkdir(folder, { recursive: true })
  await copyFile(MODEL_IN_THE_BOX.tokenizer.path, join(folder, 'vocab.txt'))
  await writeFile(join(folder, 'model.onnx'), gatherModel(VOCABULARY, dimensions))
  const description = {
    name,
    dimensions,
    pooling: 'mean',
    max_tokens: 256,
    prefix,
    cosine_floor: cosineFloor,
  }
  await writeFile(join(folder, 'embedder.json'), JSON.stringify(description))
  return folder
}

/** `token_embeddings[1, tokens, dimensions]` = rows of a table, by `input_ids`; https://onnx.ai/onnx/repo-docs/IR.html */
export function gatherModel(rows: number, dimensions: number): Uint8Array {
  const table = Float32Array.from({ length: rows * dimensions }, pseudoRandom())
  const node = [
    ...text(1, 'table'),
    ...text(1, 'input_ids'),
    ...text(2, 'token_embeddings'),
    ...text(4, 'Gather'),
  ]
  const initializer = Buffer.concat([
    Buffer.from([...number(1, rows), ...number(1, dimensions), ...number(2, FLOAT), ...text(8, 'table')]),
    bytes(9, new Uint8Array(table.buffer)),
  ])
  const graph = Buffer.concat([
    bytes(1, Uint8Array.from(node)),
    Buffer.from(text(2, 'tiny')),
    bytes(5, initializer),
    bytes(11, value('input_ids', INT64, [1, 'tokens'])),
    bytes(12, value('token_embeddings', FLOAT, [1, 'tokens', dimensions])),
  ])
  const opset = bytes(8, Uint8Array.from(number(2, 13)))
  return Buffer.concat([Buffer.from(number(1, 8)), bytes(7, graph), opset])
}

const FLOAT = 1
const INT64 = 7

/** Numbers around 0, the same every time (mulberry32). */
function pseudoRandom(): () => number {
  let state = 7
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32 - 0.5
  }
}

function value(name: string, type: number, shape: readonly (number | string)[]): Uint8Array {
  const dims = shape.map((dim) =>
    bytes(1, Uint8Array.from(typeof dim === 'number' ? number(1, dim) : text(2, dim))),
  )
  const tensor = Buffer.concat([Buffer.from(number(1, type)), bytes(2, Buffer.concat(dims))])
  return Buffer.concat([Buffer.from(text(1, name)), bytes(2, bytes(1, tensor))])
}

/** Protocol buffers' wire format: https://protobuf.dev/programming-guides/encoding/ */
function varint(value: number): number[] {
  const low = value % 128
  return value < 128 ? [low] : [low | 128, ...varint(Math.floor(value / 128))]
}
const number = (field: number, value: number): number[] => [field << 3, ...varint(value)]
const bytes = (field: number, value: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([(field << 3) | 2, ...varint(value.length)]), value])
const text = (field: number, value: string): number[] => [...bytes(field, Buffer.from(value))]
