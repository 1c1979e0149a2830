/** Start tags that state what a cell holds (ODF 1.3 part 3, 19.387), and the types and times that the library takes. */
const TYPED = /<[^<>]*\boffice:value-type\s*=\s*"([^"<>]*)"[^<>]*>/g
const KNOWN = new Set(['boolean', 'currency', 'date', 'float', 'percentage', 'string', 'time'])
const DURATION = /time-value\s*=\s*"-?P(?:\d+D)?T(?:[\d.]+H)?(?:[\d.]+M)?(?:[\d.]+S)?"/

/** Start tags with an attribute in single quotes. */
const SINGLY_QUOTED = /<[\w:.-]+\s[^<>]*=\s*'[^<>]*>/g
const ATTRIBUTE = /=\s*(?:"[^"]*"|'([^']*)')/g

/**
 * The content of an OpenDocument spreadsheet as the library reads it: attributes in double quotes, and cells of types that it
 * does not know as texts, as they are shown. It refuses a whole workbook for one of them.
 */
export const asLibraryReads = (xml: string): string =>
  xml
    .replace(SINGLY_QUOTED, (tag) =>
      tag.replace(ATTRIBUTE, (whole, value?: string) =>
        value === undefined ? whole : `="${value.replaceAll('"', '&quot;')}"`,
      ),
    )
    .replace(TYPED, (tag, type: string) =>
      KNOWN.has(type) && (type !== 'time' || DURATION.test(tag))
        ? tag
        : tag.replace(/\b(office:value-type\s*=\s*")[^"]*/, '$1string'),
    )
