export const NO_ANSWER = 'The material holds no answer to this question.'

/** In quotation marks; those inside become single ones, so that a reader sees where the quote ends. */
export const quoted = (text: string): string => `“${text.replace(/[“”]/gu, '"')}”`
