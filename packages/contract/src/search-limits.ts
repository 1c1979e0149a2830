/** What a search holds where nothing is said, and how long its text may be: questions are searched for alike. */
export const DEFAULT_LEXICAL_WEIGHT = 0.35
/** In UTF-16 code units. */
export const LONGEST_QUERY = 10_000
