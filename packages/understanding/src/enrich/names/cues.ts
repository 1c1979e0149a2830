import type { Weights } from './evidence.ts'

const set = (words: string): Set<string> => new Set(words.split(/\s+/).filter(Boolean))

/** Words by which organisations are called what they are. */
export const ORGANIZATION_WORDS = set(`
  AB AG Academy Administration Agency Airlines Airways Alliance Archive Archives Assembly Associates Association Authority
  Bakery Bank Board Broadcasting Brothers Bureau Centre Center Chamber Church Cinema Clinic Club Co Coalition College
  Commission Committee Community Company Confederation Congress Construction Consortium Consulting Cooperative Corp
  Corporation Council Court Department Directorate Division Electronics Energy Engineering Enterprises Executive
  Federation Film Films Forum Foundation Fund Gallery Gazette GmbH Government Group Guild Healthcare
  Herald Holding Holdings Hospice Hospital Inc Industries Infirmary Initiative Institute Institution Insurance
  International Journal KG Laboratories Laboratory Labs League Library Limited LLC LLP Logistics Ltd Magazine
  Media Ministry Motors Museum Mutual Network Networks Observatory Office Orchestra Organisation Organization
  Parliament Partners Partnership Party Pharma Pharmaceuticals PLC Plc Police Polytechnic Post Power Press
  Productions Properties Publishers Publishing Railway Railways Records Register Registry Retail Review Robotics
  SA SE School Schools Secretariat Semiconductor Senate Service Services Shipping Society Software Sons SpA Station
  Steel Studio Studios Supreme Survey Syndicate Systems Team Technologies Technology Telecom Theatre Theater Times
  Tribe Tribunal Tribune Trust Union United University Ventures Water Weekly Wildlife Works Workshop`)

/** Words by which places are called what they are; the second list stands before a name too: `Lake Como`. */
export const PLACE_WORDS = set(`
  Airport Alley Archipelago Avenue Basin Bay Beach Boulevard Bridge Canal Canyon Castle Cathedral Channel City Coast Cove Creek
  Crossing Delta Desert District Estate Falls Fjord Forest Glacier Gorge Gulf Harbor Harbour Heights Hill Hills
  Island Islands Isle Isles Lagoon Lane Marsh Meadows Mountain Mountains Oasis Ocean Palace Park Pass Peak Peninsula Plain
  Plains Plateau Plaza Prefecture Province Quay Ranch Range Reef Reserve Ridge River Road Rock Sea Shire Shore Sound
  Springs Square Stadium State Steppe Strait Street Terrace Territory Tower Town Township Tunnel Valley
  Village Volcano Waterfall Way Wood Woods County Republic Kingdom`)
export const PLACES_BEFORE = set(`
  Bay Cape Cerro Fort Glen Gulf Isle Isles Lake Loch Monte Mount Mt Ile Île Port Puerto Punta Republic Río Rio River Saint San Santa Santo São St
  Strait Upper Lower Little Great North South East West Northern Southern Eastern Western New Costa Las Los Kingdom Sea`)

/** Words that begin a place's name with `of` behind them. */
export const BEGINS_PLACE = set('Cape Isle Gulf Bay Strait Kingdom Republic Sea Island City Tower Duchy')

/** Words that go on with `of` or `for`. */
export const HEADS: ReadonlySet<string> = new Set([
  ...ORGANIZATION_WORDS,
  ...set(
    'Bay Cape City Gulf Isle Kingdom Republic Sea Strait Tower Port State House Doctors Friends Knights Order Duchy',
  ),
])
/** Words that may stand behind a possessive inside a name: `Lloyd's Register`. */
export const TAILS = set(
  `Register Weekly Hospital Club College School Magazine Trust Bank Bazaar Digest Cathedral Church Bay Island Point
  Square Park Court Market Gate Bridge House Foundation Institute`,
)
/** What organisations are about: `Health and Safety Executive`, `Economics and Political Science`. */
export const MATTERS = set(
  `Aeronautics Agricultural Agriculture Archives Art Arts Business Commerce Conservation Cooperation Crafts Culture Customs Design
  Development Drug Economics Education Energy Engineering Environment Family Fashion Film Finance Fisheries Food Forestry Health
  Heritage History Home Housing Humanities Industry Infrastructure Innovation Justice Labor Labour Land Languages Law Library
  Literature Marine Mathematics Medicine Media Music Nature Nutrition Oceanography Parks Philosophy Physics Planning Political Power
  Public Rail Recreation Research Safety Science Sciences Security Social Space Sports Standards Statistics Technology Television
  Theatre Tourism Trade Training Transport Urban Veterinary Water Welfare Wildlife Women Work Youth Children Gas Oil Light Control Prevention Border Protection Refugees Migration`,
)

/** Ends of names of towns and lands, of companies, of families. */
export const PLACE_ENDING =
  /\p{Ll}(?:burg|burgh|bury|borough|berg|ville|stan|land|lands|grad|gorod|polis|minster|haven|hafen|stadt|dorf|furt|borg|shire|mouth|chester|cester|pur|abad|holm|wick|vik|hamn|sund|fjord|bridge|brück|bach|heim|kirchen|ingen|shima|yama|gawa|saki|sville|ovsk|insk|nik)$/u
export const COMPANY_ENDING =
  /\p{Ll}(?:soft|tech|bank|corp|pharma|ware|media|med|gen|nova|tronics|tel|com|net|air|flix|book|box|pay|base|works|chem|systems)$/iu
export const FAMILY_ENDING =
  /\p{Ll}(?:son|sson|sen|ssen|ova|eva|ov|ev|sky|ski|ska|ický|escu|ez|es|ini|elli|etti|opoulos|idis|ian|yan|vić|ić|ich|wicz|czyk|enko|uk|dóttir|dottir|qvist|quist|berg|stein|mann|man|meyer|maier|bauer|huber|ström|strom|lund|gaard|stad|singh|kumar|nathan|moto|mura|yama|shi|naka)$/u

export interface Cue {
  words: ReadonlySet<string>
  weights: Weights
}
const cue = (words: string, people: number, organizations: number, locations: number): Cue => ({
  words: set(words),
  weights: { people, organizations, locations },
})

/** What the word directly before says. */
export const BEFORE: readonly Cue[] = [
  cue('in near', -1, -0.3, 2),
  cue('throughout across around outside inside towards toward beneath above off into', -1, -0.3, 1.5),
  cue('from', 0.2, 0.6, 0.9),
  cue('to via', 0, 0.2, 0.7),
  cue('at', -1, 1.3, 0.6),
  cue('between through along', -0.5, 0, 1),
  cue('by with', 0.5, 0.9, -0.5),
  cue('than', 0, 0.2, 0),
  cue('against', 0, 0.7, 0),
  cue(
    'joined founded acquired supplies supplied bought owns called hired employs sued leaves left joining',
    0,
    1.4,
    0,
  ),
  cue('visited visiting reached leaving entered', 0, 0.3, 1),
  cue(
    'company airline airlines carmaker carmakers manufacturer maker operator contractor firm supplier builder bank brand startup',
    0,
    3,
    0,
  ),
  cue(
    'rival competitor retailer insurer broadcaster newspaper magazine publisher charity group club band agency network',
    0,
    3,
    0,
  ),
  cue('husband wife son daughter brother sister mother father friend colleague colleagues', 3, 0, 0),
  cue('dear hi hello thanks', 3, 0, 0),
]

/** Words before `of` that say where: `island of Jeju`, `south of Graz`. */
export const PLACES_OF = set(
  `island islands city town village coast state region valley delta province capital south north east west port harbour
  harbor mountains beach shore shores streets outskirts suburb suburbs district county kingdom republic banks mouth part people centre center
  area lake bay gulf heart border`,
)
/** Words before a preposition that make an organisation of what follows: `shares in`, `customers such as`, `paid for by`. */
export const ORGANIZATION_PHRASES: readonly RegExp[] = [
  /^(?:in|of) (?:shares?|stake|shareholders?|stock)\b/,
  /^(?:with|of|from) (?:contracts?|subsidiar(?:y|ies)|customers?|employees?|staff|members?|plants?|factor(?:y|ies)|engineers?|analysts?|biologists?|researchers?|auditors?|grant|loan|data|centres|colleagues|clinics?|laborator(?:y|ies))\b/,
  /^at (?:analysts?|engineers?|researchers?|scientists?|account|insurance|works?|worked|working|professor|students?|economists?)\b/,
  /^for (?:works?|worked|working|factor(?:y|ies)|chips|spokes\w+|contract)\b/,
  /^as (?:such|clients|customers)\b/,
  /^by (?:made|used|sponsored|issued|owned|published|hosted|operated|tested|certified|checked|collected|delivered|supplied|produced|financed|funded|bought|recorded|inspected|audited|developed|manufactured|for)\b/,
  /^through (?:sold|booked|bought|available)\b/,
  /^from (?:comes?|ordered|bought|received|heard|loan)\b/,
]

/** What the word directly behind says. */
export const BEHIND: readonly Cue[] = [
  cue('said says told tells', 1.8, 0.7, 0),
  cue(
    'asked asks wrote writes thinks recalled remembers remembered explained explains smiled died drew met',
    1.8,
    0,
    0,
  ),
  cue(
    'wants led leads admitted admits welcomed reports presented discovered visited noticed takes will can reviews checked informs arrives recommends',
    0.8,
    0.4,
    0,
  ),
  cue('came went was', 0.3, 0, 0),
  cue(
    'announced makes produces produced supplies sells manufactures employs confirmed acquired owns plans expects offers blocked declined has had withdrew certified opened stopped inspected sponsors published publishes buys buy sell make bought charges calls',
    0.2,
    1.3,
    0,
  ),
  cue('shares stock shareholders employees customers spokesman spokeswoman', 0, 2.5, 0),
  cue('office offices', 0, 0.4, 1.2),
]

/** What the words behind a possessive say. */
export const OWNED_BY_COMPANY = set(
  `plant plants factory factories shares stock shareholders chief ceo customers employees profits profit sales revenue
  headquarters subsidiary board management products brand stores spokesman spokeswoman annual quarterly engineers`,
)
export const OWNED_BY_PLACE = set(
  `capital government president parliament mayor coast population economy largest oldest biggest longest north south east west streets harbour harbor suburbs`,
)
/** What says behind a comma what was named: `Scania, the truck maker`. */
export const COMPANIES = set(
  `company airline carmaker manufacturer maker operator firm supplier bank insurer retailer largest agency group
  charity publisher broadcaster`,
)
