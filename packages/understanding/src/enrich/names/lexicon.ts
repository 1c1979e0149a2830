import { nlp } from '../parser.ts'

/** What the parser's lexicon says of words and word groups: lower case, mostly without accents. */
const { lexicon } = (nlp.model() as { one: { lexicon: Record<string, string | string[]> } }).one

/** Lower case, without accents: `Kraków` and `krakow` are one. */
const folded = (name: string): string =>
  name.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ø', 'o').replaceAll('ł', 'l')

const tagsOf = (name: string): string[] =>
  [name.toLowerCase(), folded(name)].flatMap((form) => (Object.hasOwn(lexicon, form) ? lexicon[form]! : []))
const hasTag =
  (...tags: string[]) =>
  (name: string): boolean =>
    tagsOf(name).some((tag) => tags.includes(tag))

const REGIONS = new Intl.DisplayNames('en', { type: 'region' })
const letters = Array.from({ length: 26 }, (_, i) => String.fromCharCode(65 + i))
/** Every country by its ISO 3166 code, and every city after which a time zone is called. */
const PLACES = new Set(
  [
    ...letters.flatMap((a) => letters.map((b) => REGIONS.of(a + b)!)).filter((name) => name.length > 2),
    ...Intl.supportedValuesOf('timeZone').map((zone) => zone.split('/').at(-1)!.replaceAll('_', ' ')),
    ...`Africa,Asia,Europe,Antarctica,North America,South America,Latin America,Central America,Scandinavia,Balkans,
    Caucasus,Siberia,Alps,Andes,Himalayas,Pyrenees,Carpathians,Rocky Mountains,Urals,Sahara,Sahel,Patagonia,Amazonia,
    Middle East,Far East,Near East,Mediterranean,Caribbean,Atlantic,Pacific,Arctic,Baltic,Adriatic,Aegean,Danube,Rhine,
    Nile,Thames,Seine,Mississippi,Ganges,Yangtze,Volga,Elbe,Bavaria,Saxony,Catalonia,Lombardy,Tuscany,Provence,Normandy,
    Brittany,Flanders,Wallonia,Galicia,Andalusia,Sicily,Sardinia,Corsica,Crete,Cyprus,Scotland,Wales,England,Ireland,
    Britain,Great Britain,European Union,West Bank,Gaza,Kosovo,Tibet,Hokkaido,Honshu,Kyushu,Okinawa,Jeju,Gangnam,
    Manhattan,Brooklyn,Hollywood,Silicon Valley,Wall Street`
      .split(',')
      .map((name) => name.trim()),
  ].map(folded),
)

const PLACE_TAGS = hasTag('City', 'Country', 'Region')
export const isPlace = (name: string): boolean => PLACES.has(folded(name)) || PLACE_TAGS(name)
/** Places that stand behind others: `Linz, Austria`. */
export const isLand = (name: string): boolean =>
  hasTag('Country', 'Region')(name) || (PLACES.has(folded(name)) && !hasTag('City')(name))
export const isFirstName = hasTag('MaleName', 'FemaleName', 'FirstName')
export const isLastName = hasTag('LastName')
export const isPerson = hasTag('Person')
export const isOrganization = hasTag('Organization', 'SportsTeam')
export const isNationality = hasTag('Demonym')

const isAct = hasTag('Actor', 'Honorific')
const ROLES = new Set(
  `apprentice archaeologist astronaut ceo cfo chair chairman chairwoman champion chief clerk coach contact councillor
  cto editor engineer executive expert farmer founder head headteacher host keeper lead librarian
  lieutenant major manager marshal mayor midwife minutes mister mr mrs ms dr prof professor novelist nurse owner
  president principal prosecutor reporter representative researcher scientist secretary senator seismologist sir
  speaker spokesman spokesperson spokeswoman student supervisor surgeon trainer treasurer veterinarian winegrower
  zoologist`.split(/\s+/),
)
/** What somebody is or does: `mayor`, `farmers`, `geologist`. */
export const isRole = (word: string): boolean => {
  const lower = word.toLowerCase()
  return [lower, lower.replace(/s$/, '')].some(
    (form) =>
      ROLES.has(form) || isAct(form) || /[a-z]{3}(?:ologist|ographer|maker|keeper|woman|man)$/.test(form),
  )
}

/** Titles that a name keeps where it is but a first name: `King Sejong`. */
export const isRuler = (word: string): boolean =>
  /^(?:King|Queen|Emperor|Empress|Prince|Princess|Pope|Sultan|Tsar|Lord|Lady|Sir|Saint|Sheikh)$/u.test(word)

const FUNCTIONS = `Determiner Preposition Conjunction Pronoun Possessive Reflexive QuestionWord Adverb Modal Copula Negative
  Date Duration Cardinal Ordinal TextValue Value Condition Expression Currency Unit`
export const isFunctionWord = hasTag(...FUNCTIONS.split(/\s+/))
export const isVerbForm = hasTag(
  'PastTense',
  'PresentTense',
  'Infinitive',
  'Gerund',
  'Imperative',
  'Participle',
)
export const isPast = hasTag('PastTense')
const isPlain = hasTag('Singular', 'Plural', 'Uncountable', 'Noun', 'Adjective', 'Comparative', 'Superlative')

/** A word of the dictionary, or one that is made like it. */
export const isCommon = (word: string): boolean => {
  const lower = word.toLowerCase()
  return (
    [lower, lower.replace(/s$/, ''), lower.replace(/ies$/, 'y')].some(
      (form) => isFunctionWord(form) || isVerbForm(form) || isPlain(form) || isRole(form),
    ) ||
    /[a-z]{3}(?:tions?|ments?|ness|ity|ities|ings?|ists?|ance|ence|ships?|ures?|ologies|ology|ages?|ers)$/.test(
      lower,
    )
  )
}
