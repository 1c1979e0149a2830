import { END, FIRST_STAMP, SAYABLE, SPACE, STAMPS_A_SECOND } from './vocabulary.ts'

/** An id of text or a stamp, and how sure the model was of it: the natural logarithm of its probability. */
export interface Said {
  id: number
  sure: number
}

/** The first stamp is at most a second into the window. */
const LATEST_START = STAMPS_A_SECOND
/** What is so much less likely adds nothing to a sum: natural logarithm. */
const NEGLIGIBLE = -16
/** A phrase of at most so many ids that is said so often, a single id more often, is a loop. */
const LONGEST_LOOP = 12
const LOOPS = 5
const LOOPS_OF_ONE = 8

/** What may come next. */
interface Allowed {
  text: boolean
  end: boolean
  /** From one id to another, both included; none where the first is above the last. */
  stamps: readonly [first: number, last: number]
}

const NO_STAMPS = [0, -1] as const

/**
 * Greedy decoding by the rules of Whisper (A. Radford et al., "Robust Speech Recognition via Large-Scale Weak Supervision",
 * 2022): text stands between two stamps, which never go back; there is a stamp where all of them together are likelier than
 * the likeliest text.
 */
export class Decoding {
  readonly said: Said[] = []
  readonly #latestStamp: number
  readonly #unrepeated: number
  #sum = 0

  /** `seconds`: how long the window is. `unrepeated`: no run of so many ids comes twice; 0: it may. */
  constructor(seconds: number, unrepeated = 0) {
    this.#latestStamp =
      FIRST_STAMP + Math.min(30 * STAMPS_A_SECOND, Math.ceil(seconds * STAMPS_A_SECOND) + 10)
    this.#unrepeated = unrepeated
  }

  /** The mean of how sure the model was, of the end as well. */
  get sure(): number {
    return this.#sum / (this.said.length + 1)
  }

  /** Takes what comes next by the model's logits; false at the end. */
  take(logits: Float32Array): boolean {
    const next = this.#next(logits)
    this.#sum += next.sure
    if (next.id === END) return false
    this.said.push(next)
    return true
  }

  /** Whether what was said last is a phrase that comes again and again. */
  get isLoop(): boolean {
    const { said } = this
    for (let length = 1; length <= LONGEST_LOOP; length++) {
      const needed = length * (length === 1 ? LOOPS_OF_ONE : LOOPS)
      if (said.length < needed) return false
      const repeats = said
        .slice(-needed, -length)
        .every(({ id }, at) => id === said[said.length - needed + at + length]!.id)
      if (repeats) return true
    }
    return false
  }

  #next(logits: Float32Array): Said {
    const { text, end, stamps } = this.#allowed()
    const banned = this.#banned()
    const mayBeSaid = (id: number): boolean => SAYABLE[id] === 1 && !banned.has(id)
    let said = END
    let likeliest = end ? logits[END]! : -Infinity
    if (text)
      for (let id = 0; id < END; id++)
        if (logits[id]! > likeliest && mayBeSaid(id)) [said, likeliest] = [id, logits[id]!]
    let [stamp, likeliestStamp] = [-1, -Infinity]
    for (let id = stamps[0]; id <= stamps[1]; id++)
      if (logits[id]! > likeliestStamp) [stamp, likeliestStamp] = [id, logits[id]!]
    const top = Math.max(likeliest, likeliestStamp)
    const ofStamps = sumOfExponentials(logits, stamps[0], stamps[1], top)
    const isStamp = stamp >= 0 && (likeliest === -Infinity || Math.log(ofStamps) > likeliest - top)
    let all = ofStamps
    if (!isStamp) {
      if (end) all += Math.exp(logits[END]! - top)
      if (text)
        for (let id = 0; id < END; id++)
          if (SAYABLE[id] === 1 && logits[id]! - top > NEGLIGIBLE) all += Math.exp(logits[id]! - top)
    }
    const [id, likelihood] = isStamp ? [stamp, likeliestStamp] : [said, likeliest]
    return { id, sure: Math.min(0, likelihood - top - Math.log(all)) }
  }

  #allowed(): Allowed {
    const ids = this.said
    if (ids.length === 0)
      return {
        text: false,
        end: false,
        stamps: [FIRST_STAMP, Math.min(this.#latestStamp, FIRST_STAMP + LATEST_START)],
      }
    const [isStamp, wasStamp] = [isStampAt(ids, -1), ids.length < 2 || isStampAt(ids, -2)]
    if (isStamp && wasStamp) return { text: true, end: true, stamps: NO_STAMPS }
    const last = ids.findLast(({ id }) => id >= FIRST_STAMP)!.id
    return isStamp
      ? { text: false, end: true, stamps: [last, this.#latestStamp] }
      : { text: true, end: true, stamps: [last + 1, this.#latestStamp] }
  }

  /** Ids of text that would repeat a run; a space where text begins. */
  #banned(): Set<number> {
    const { said } = this
    const banned = new Set<number>(said.length === 1 ? [SPACE] : [])
    const before = this.#unrepeated - 1
    if (before < 0 || said.length <= before) return banned
    const run = said.slice(-before)
    for (let at = 0; at + before < said.length; at++)
      if (run.every(({ id }, i) => id === said[at + i]!.id)) banned.add(said[at + before]!.id)
    return banned
  }
}

const isStampAt = (said: readonly Said[], at: number): boolean => said.at(at)!.id >= FIRST_STAMP

function sumOfExponentials(logits: Float32Array, first: number, last: number, top: number): number {
  let sum = 0
  for (let id = first; id <= last; id++) sum += Math.exp(logits[id]! - top)
  return sum
}

export interface Phrase {
  /** Seconds from the window's beginning; where it has no end in it, null. */
  start: number
  end: number | null
  said: Said[]
}

/** What stands between stamps. */
export function phrasesOf(said: readonly Said[]): Phrase[] {
  const phrases: Phrase[] = []
  let start = 0
  let text: Said[] = []
  for (const one of said) {
    if (one.id < FIRST_STAMP) {
      text.push(one)
      continue
    }
    const time = (one.id - FIRST_STAMP) / STAMPS_A_SECOND
    if (text.length > 0) phrases.push({ start, end: time, said: text })
    text = []
    start = time
  }
  if (text.length > 0) phrases.push({ start, end: null, said: text })
  return phrases
}
