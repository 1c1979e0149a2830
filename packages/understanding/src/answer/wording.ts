export { NO_ANSWER } from '@medialog/application/ports'

/** In quotation marks; those inside become single ones, so that a reader sees where the quote ends. */
export const quoted = (text: string): string => `“${text.replace(/[“”]/gu, '"')}”`

export const DISCLAIMER =
  'Made offline: the answer quotes the sentences of the material that speak most to the question, word for word. ' +
  'Nothing is concluded or added, and a quote may miss what was asked.'
