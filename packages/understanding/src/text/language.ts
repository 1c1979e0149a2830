import { franc } from 'franc-min'

const SAMPLE = 4000
/** Fewer letters than this say too little against what the document declares. */
const CONVINCING = 100
/** What a letter of each script says: a syllable or ideogram is worth several letters of an alphabet. */
const SCRIPTS = [
  { name: 'hangul', letters: /\p{sc=Hangul}/gu, weight: 2.5 },
  { name: 'kana', letters: /[\p{sc=Hiragana}\p{sc=Katakana}]/gu, weight: 2.5 },
  { name: 'han', letters: /\p{sc=Han}/gu, weight: 2 },
  { name: 'latin', letters: /\p{sc=Latin}/gu, weight: 1 },
  {
    name: 'other',
    letters: /[^\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Han}\p{sc=Latin}\P{L}]/gu,
    weight: 1,
  },
] as const
type Script = (typeof SCRIPTS)[number]['name']

/** A word or two of these scripts is enough; languages of one alphabet differ little, and short texts mislead. */
const ENOUGH: Record<Script, number> = { hangul: 10, kana: 10, han: 10, latin: 50, other: 80 }

/** Cyrillic alphabets that lack ы and э: the detector takes Russian for Bulgarian. */
const WITHOUT_Y_AND_E = ['bul', 'ukr', 'srp', 'bos', 'mkd']

/** BCP 47 language of a text: as it reads, or as `declared` where there is little to read; else null. */
export function languageOf(text: string, declared?: string | null): string | null {
  const sample = text.slice(0, SAMPLE)
  const letters = sample.match(/\p{L}/gu)?.length ?? 0
  const stated = canonical(declared)
  if (stated && letters < CONVINCING) return stated
  const detected = detect(sample)
  // The same language keeps its declared region or script: `en-GB`, `zh-Hant`.
  return stated && (detected === null || stated.split('-')[0] === detected) ? stated : detected
}

/** The script that says most decides first, so that a few words of another language do not mislead. */
function detect(sample: string): string | null {
  const said = SCRIPTS.map(({ name, letters, weight }) => ({
    name,
    letters,
    amount: (sample.match(letters)?.length ?? 0) * weight,
  }))
  const most = said.reduce((a, b) => (b.amount > a.amount ? b : a))
  if (most.amount < ENOUGH[most.name]) return null
  const kana = said.find(({ name }) => name === 'kana')!.amount
  if (most.name === 'hangul') return 'ko'
  if (most.name === 'kana' || (most.name === 'han' && kana > most.amount / 10)) return 'ja'
  if (most.name === 'han') return 'zh'
  const words = sample.split(/\s+/).filter((word) => word.search(most.letters) >= 0)
  const code = franc(words.join(' '), { ignore: /[ыэ]/i.test(sample) ? WITHOUT_Y_AND_E : [] })
  return code === 'und' ? null : canonical(code)
}

/** The canonical tag: `en` for `eng` or `EN`; null for what is no tag. */
function canonical(tag: string | null | undefined): string | null {
  try {
    return tag ? (Intl.getCanonicalLocales(tag.trim().replaceAll('_', '-'))[0] ?? null) : null
  } catch {
    return null
  }
}
