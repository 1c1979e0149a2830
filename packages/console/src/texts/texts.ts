import { en } from './en.ts'

/** The texts in the language of the page. */
export const t = en
