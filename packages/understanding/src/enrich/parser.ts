import { createRequire } from 'node:module'
import type compromise from 'compromise'

/** The library as the one file that it is built to: as modules it is four hundred, which take twice as long to load. */
export const nlp = createRequire(import.meta.url)('compromise') as typeof compromise
