import { put } from '@medialog/read-model/testing/items'
import { xorshift } from '../src/harness/xorshift.ts'
import type { Cranfield } from './cranfield.ts'

const PASSAGES = 5
const WORDS = 150
const NOISE = 0.35

/** Items of a library with so many passages. */
export const itemsOf = (passages: number): number => Math.ceil(passages / PASSAGES)

/**
 * A library of any size made from Cranfield's abstracts: items of five passages of 150 words and a head. A passage is
 * the first part of one abstract and the second of another, with the vector halfway between the two, turned a little
 * in a direction of its own, so that no two are alike. The same for the same number, on every machine.
 *
 * One item in a hundred is an image, twenty a video; dates run on by a minute; every item has two topics.
 */
export function* library(cranfield: Cranfield, passages: number): Generator<ReturnType<typeof put>> {
  const random = xorshift(0x2545f491)
  const pick = () => cranfield.documents[random() % cranfield.documents.length]!
  for (let item = 0; item < itemsOf(passages); item++) {
    const head = pick()
    const body = Array.from({ length: PASSAGES }, () => blend(pick(), pick(), random))
    const chunks = [{ text: head.title, vector: turned(head.whole.vector, random) }, ...body]
    yield put({
      media: `item ${item}`,
      model: cranfield.model,
      type: item % 100 === 0 ? 'image' : item % 5 === 1 ? 'video' : 'document',
      collection: `collection-${item % 4}`,
      createdAt: 1_700_000_000_000 + item * 60_000,
      topics: [`topic ${item % 17}`, `topic ${item % 100}`],
      chunks: chunks.map(({ text }) => text),
      vectors: chunks.map(({ vector }) => vector),
    })
  }
}

function blend(a: Cranfield['documents'][number], b: Cranfield['documents'][number], random: () => number) {
  const halves = [a.whole.text.split(' ').slice(0, WORDS / 2), b.whole.text.split(' ').slice(-WORDS / 2)]
  const between = a.whole.vector.map((value, index) => value + b.whole.vector[index]!)
  return { text: halves.flat().join(' '), vector: turned(unit(between), random) }
}

/** A unit vector at a fixed distance from `vector`, in a random direction. */
function turned(vector: Float32Array, random: () => number): Float32Array {
  const direction = unit(vector.map(() => random() / 2 ** 32 - 0.5))
  return unit(vector.map((value, index) => value + NOISE * direction[index]!))
}

function unit(vector: Float32Array): Float32Array {
  let square = 0
  for (const value of vector) square += value * value
  const length = Math.sqrt(square)
  return vector.map((value) => value / length)
}

/** `size` values at a time; the last time, those that are left. */
export function* chunked<T>(values: Iterable<T>, size: number): Generator<T[]> {
  let some: T[] = []
  for (const value of values) {
    some.push(value)
    if (some.length === size) {
      yield some
      some = []
    }
  }
  if (some.length > 0) yield some
}
