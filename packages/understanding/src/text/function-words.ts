/** Words that carry the grammar of a language and are frequent in any text of it, none that many others share. */
const rows: Record<string, string> = {
  en: 'the and of to in is that was for with are this by from were which be or not have has it on as at an',
  de: 'der die das und ist nicht ein eine den dem des mit von zu auf für im sich auch wird sind war bei oder nach wurde',
  fr: 'le la les des et est du une un dans pour que qui sur au par pas avec sont ce cette aux ont été il elle plus',
  es: 'el la los las de y en que del un una por con para es se no al su como más fue son lo esta este',
  pt: 'o os as de e em que do da dos das um uma por com para não é ao no na foi são mais pelo pela seu sua',
  it: 'il lo gli di e che del della dei delle un una per con è non nel nella sono al alla dal si più anche',
  nl: 'de het een en van is dat niet op te voor met zijn aan door er ook bij naar uit wordt werd deze maar om',
  sv: 'och att det som en på är av för med till den inte har ett om var från vi ska kan men jag eller när',
  da: 'og at det som en på er af for med til den ikke har et om var fra vi skal kan men jeg eller blev ved',
  nb: 'og å det som en på er av for med til den ikke har et om var fra vi skal kan men jeg eller ble ved',
  fi: 'ja on ei että se oli hän mutta ovat kun myös joka kuin tai jos niin sen vain jo ole mukaan sekä',
  pl: 'i w na z się nie do że to jest jak po od przez za o dla ale czy są był była przy oraz które który',
  cs: 'a v na se je že to s z do o k pro ale by jako za od po byl jsou také nebo které který podle',
  hu: 'a az és hogy nem egy is ez meg de volt van csak már mint vagy el még ki azt lesz szerint',
  ro: 'și de în la cu pe nu un o este din care că pentru sunt mai a fost prin sau dar după fi se',
  tr: 've bir bu için ile de da çok olarak daha gibi olan sonra kadar ama en ne var değil her olduğu',
  id: 'yang dan di dari untuk dengan ini itu pada adalah ke tidak dalam akan oleh juga atau telah sebagai',
  vi: 'và của là các có cho trong được một không với những này đã người khi để từ về như đến',
}

const TABLE = Object.entries(rows).map(([language, words]) => ({
  language,
  words: new Set(words.split(' ')),
}))

/** Languages whose function words are known here. */
export const hasFunctionWords = (language: string): boolean => Object.hasOwn(rows, language)

const LEAST_WORDS = 4
/** Prose has a quarter to a half; lists, tables and code have none. */
const LEAST_SHARE = 0.12

/** The language whose function words are the most of these (lower case, in reading order); null where they are few. */
export function byFunctionWords(words: readonly string[]): string | null {
  if (words.length < LEAST_WORDS) return null
  const counted = TABLE.map(({ language, words: known }) => ({
    language,
    share: words.filter((word) => known.has(word)).length / words.length,
  }))
  const best = counted.reduce((a, b) => (b.share > a.share ? b : a))
  return best.share >= LEAST_SHARE ? best.language : null
}
