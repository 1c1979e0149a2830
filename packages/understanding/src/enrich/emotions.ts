import { wordsOf } from './words.ts'

/** Seed words of Plutchik's eight basic emotions, own choice; beginnings of words, so that `rejoic` finds `rejoiced`. */
const SEEDS: Record<string, string> = {
  joy: 'joy happy happi delight cheer laugh celebrat wonderful rejoic smil glad pleased bliss love',
  sadness: 'sad sorrow grie mourn tears weep wept cried lonely heartbr despair tragic melanchol miss',
  anger: 'anger angry angri furious rage outrag resent hostil infuriat indign irritat hate',
  fear: 'fear afraid terrif terror panic scare scary dread anxi frighten horror worried nervous',
  surprise: 'surpris astonish amaz unexpected sudden shock stunned startl incredibl',
  trust: 'trust honest reliab loyal faithful sincer dependab reassur confident confidence',
  anticipation: 'anticipat eager await hope hoping excite excited looking-forward expectant',
  disgust: 'disgust revolt repuls nause gross vile filthy loath sickening',
}
/** Beginnings that other words share: these must be the word itself. */
const WHOLE = new Set([
  'sad',
  'gross',
  'glad',
  'love',
  'rage',
  'miss',
  'hate',
  'hope',
  'joy',
  'fear',
  'tears',
  'vile',
])
const NEGATION = new Set([
  'no',
  'not',
  'never',
  'without',
  'hardly',
  'nor',
  "don't",
  "didn't",
  "isn't",
  "wasn't",
])
const ROOTS = Object.entries(SEEDS).map(([emotion, roots]) => ({ emotion, roots: roots.split(' ') }))

const names = (word: string, root: string): boolean =>
  WHOLE.has(root) ? word === root || word === `${root}s` || word === `${root}d` : word.startsWith(root)

/**
 * At most two emotions that an English text speaks of, the stronger first. Conservative: two words must name it
 * and one in forty, or three and one in two hundred; of up to 15 words one; what is negated counts for nothing.
 */
export function emotionsOf(text: string): string[] {
  const words = wordsOf(text)
  const hits = new Map<string, number>()
  // A long text has few different words.
  const known = new Map<string, string | null>()
  for (const [at, word] of words.entries()) {
    let emotion = known.get(word)
    if (emotion === undefined) {
      emotion = ROOTS.find(({ roots }) => roots.some((root) => names(word, root)))?.emotion ?? null
      known.set(word, emotion)
    }
    if (!emotion || words.slice(Math.max(0, at - 2), at).some((before) => NEGATION.has(before))) continue
    hits.set(emotion, (hits.get(emotion) ?? 0) + 1)
  }
  return [...hits]
    .filter(([, count]) => count * [15, 40, 200][Math.min(count, 3) - 1]! >= words.length)
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, 2)
    .map(([emotion]) => emotion)
}
