import { z } from 'zod'

/** What a model wrote, in one line at most `most` characters long; control characters go. */
export const line = (most: number) => z.string().transform((text) => cut(text.replaceAll(/\s+/gu, ' '), most))

/** The same with its paragraphs. */
export const prose = (most: number) => z.string().transform((text) => cut(text, most))

/** Up to `count` different names of at most `most` characters. */
export const names = (count: number, most = 100) =>
  z
    .array(z.string())
    .transform((all) =>
      [...new Set(all.map((name) => cut(name.replaceAll(/\s+/gu, ' '), most)))]
        .filter((name) => name !== '')
        .slice(0, count),
    )

/** Text as it came, without control characters but line ends and tabs. */
export const printable = (text: string): string => text.replaceAll(/[^\P{Cc}\n\t]/gu, '')

function cut(text: string, most: number): string {
  const clean = printable(text.toWellFormed()).trim()
  if (clean.length <= most) return clean
  const beginning = clean.slice(0, most - 1).toWellFormed()
  return `${beginning.trimEnd()}…`
}
