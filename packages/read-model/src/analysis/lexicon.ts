/** The module that says what a word is (`words`, `termsOf`), for threads that load it themselves. */
export const LEXICON = new URL('./words.ts', import.meta.url)
