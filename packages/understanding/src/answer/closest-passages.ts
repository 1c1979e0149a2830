import type { GroundingPassage } from '@medialog/application/ports'
import { dot } from '../enrich/vector-math.ts'
import { MEANING, WORDS, type AskedQuestion } from './rank.ts'
import { best, holds, share, weigh } from './terms.ts'

/** Read sentence by sentence. */
const PASSAGES = 24
/** Measured by meaning where nobody retrieved them. */
const EMBEDDED = 64

/** Places of the passages worth reading, in their order: by the words they share with the question, and by meaning. */
export async function closestPassages(
  { asked, meaning, termsOf, embedder }: AskedQuestion,
  passages: readonly GroundingPassage[],
): Promise<number[]> {
  const all = [...passages.keys()]
  if (passages.length <= PASSAGES) return all
  const terms = passages.map(({ text }) => termsOf(text))
  const weights = weigh(asked, terms)
  const byWords = terms.map((own) =>
    share(
      weights,
      asked.words.map((word) => Number(holds(own, word))),
    ),
  )
  const unknown = all.filter((place) => passages[place]!.relevance === null)
  const measured = best(unknown, (place) => byWords[place]!, EMBEDDED)
  const texts = measured.map((place) => passages[place]!.text)
  const vectors = await embedder.embed(texts)
  const cosines = new Map(measured.map((place, i) => [place, dot(meaning, vectors[i]!)]))
  const score = (place: number): number =>
    WORDS * byWords[place]! + MEANING * (passages[place]!.relevance ?? cosines.get(place) ?? 0)
  return best(all, score, PASSAGES).sort((a, b) => a - b)
}
