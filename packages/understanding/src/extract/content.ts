import type {
  DocumentFacts,
  Extraction,
  Facts,
  Format,
  Listing,
  Recognition,
  Section,
  Table,
} from '@medialog/application/ports/understanding'
import { tokenizer } from '@medialog/embedder/tokenizer'
import { clean, countWords, line } from '../text/clean.ts'
import { languageOf } from '../text/language.ts'

/** So many tokens are read of a document, as the embedder's tokenizer counts them; no character is more than one. */
export const TOKEN_BUDGET = 75_000
/** And so many UTF-16 code units: no language has as many a token, but blobs and scripts unknown to the tokenizer do. */
export const LENGTH_BUDGET = 8 * TOKEN_BUDGET

/** Between blocks of text. */
export const SEPARATOR = '\n\n'

/** What an extractor states of a whole document. */
interface DocumentMeta {
  title?: unknown
  author?: unknown
  /** As the document declares it. */
  language?: string | null
  pageCount?: number | null
  encoding?: string
}

/** Collects a document in reading order, up to the token budget, keeping places in the text as it grows. */
export class Content {
  readonly sections: Section[] = []
  readonly tables: Table[] = []
  readonly #listings: Listing[] = []
  readonly warnings: string[] = []
  figureCount = 0
  /** Embedded files that are no documents, read or not. */
  mediaCount = 0
  truncated = false
  /** Where words were read from pictures. */
  recognition: Recognition | null = null
  #blocks: string[] = []
  #headings = 0
  #length = 0
  #tokens = 0

  /** True once the budget is spent: the rest need not be read. */
  get full(): boolean {
    return this.truncated
  }

  get hasOnlyHeadings(): boolean {
    return this.#blocks.length === this.#headings
  }

  /** Where the next block will start. */
  get end(): number {
    return this.#length === 0 ? 0 : this.#length + SEPARATOR.length
  }

  /** Adds a block of text, which may span lines. Returns where it starts, or null if nothing was added. */
  paragraph(text: string): number | null {
    if (this.full) return null
    const block = this.#withinBudget(clean(text))
    if (block === '') return null
    const start = this.end
    this.#blocks.push(block)
    this.#length = start + block.length
    return start
  }

  heading(title: string, level: number, contentType = 'heading'): void {
    const oneLine = line(title)
    if (oneLine === null) return
    const start = this.paragraph(oneLine)
    if (start === null) return
    this.#headings++
    this.sections.push({ title: oneLine, level, contentType, start })
  }

  /** Rows of cells, the header included. A row becomes a line, its cells parted by ` | `. */
  table(rows: readonly (readonly string[])[]): void {
    if (rows.length === 0 || this.full) return
    const columns = rows.reduce((most, row) => Math.max(most, row.length), 0)
    const start = this.paragraph(rows.map(rowText).join('\n'))
    this.tables.push({ rows: rows.length, columns, start: start ?? this.end })
  }

  /** Adds a block of code, or of what else is laid out by hand. */
  listing(text: string): void {
    const start = this.paragraph(text)
    if (start !== null) this.#listings.push({ start, end: this.#length })
  }

  /** Adds another file's content under a heading with its name; its own headings stand one level below. */
  embed({ text, sections, tables, listings, figureCount, recognition }: Extraction, name: string): void {
    this.heading(name, 1, 'attachment')
    const start = this.paragraph(text)
    if (start === null) return
    if (recognition) this.recognition = together(this.recognition, recognition)
    const within = <T extends { start: number }>(place: T): T[] =>
      start + place.start < this.#length ? [{ ...place, start: start + place.start }] : []
    this.sections.push(
      ...sections.flatMap((section) => within({ ...section, level: Math.min(section.level + 1, 9) })),
    )
    this.tables.push(...tables.flatMap(within))
    for (const listing of (listings ?? []).flatMap(within))
      this.#listings.push({ ...listing, end: Math.min(this.#length, start + listing.end) })
    this.figureCount += figureCount
  }

  /** Says that the document goes on where reading ends. */
  truncate(): void {
    this.truncated = true
  }

  warn(sentence: string): void {
    if (!this.warnings.includes(sentence)) this.warnings.push(sentence)
  }

  /** @returns the finished extraction of a document; the object must not be used afterwards. */
  document(format: Format, meta: DocumentMeta): Extraction {
    const facts: DocumentFacts = {
      mediaType: 'document',
      pageCount: meta.pageCount ?? null,
      wordCount: countWords(this.#text),
      ...(meta.encoding && { encoding: meta.encoding }),
    }
    return this.medium(format, facts, meta)
  }

  /** The extraction of a file with facts of its own: an image, a recording, a model, with its words if it has any. */
  medium(
    format: Format,
    facts: Facts,
    meta: Pick<DocumentMeta, 'title' | 'author' | 'language'> = {},
  ): Extraction {
    const text = this.#text
    return {
      format: format.name,
      mediaType: format.mediaType,
      text,
      title: line(meta.title),
      author: line(meta.author),
      language: languageOf(text, meta.language),
      sections: this.sections,
      tables: this.tables,
      ...(this.#listings.length > 0 && { listings: this.#listings }),
      figureCount: this.figureCount,
      facts,
      truncated: this.truncated,
      warnings: this.truncated ? [...this.warnings, this.#readInPart(text)] : this.warnings,
      ...(this.recognition && { recognition: this.recognition }),
    }
  }

  #readInPart(text: string): string {
    const last = this.sections.at(-1)
    const place = last ? `, up to the section “${last.title.slice(0, 80).toWellFormed()}”` : ''
    const words = countWords(text).toLocaleString('en')
    return `The document is longer than what is read: only its beginning was taken in, its first ${words} words${place}.`
  }

  /** The words so far. */
  get words(): string {
    return this.#text
  }

  get #text(): string {
    return this.#blocks.join(SEPARATOR)
  }

  #withinBudget(block: string): string {
    const room = LENGTH_BUDGET - this.end
    const { starts, ends, tokens } = tokenizer().words(block.slice(0, Math.max(0, room)))
    for (const [word, start] of starts.entries()) {
      this.#tokens += Math.min(tokens[word]!, ends[word]! - start)
      if (this.#tokens > TOKEN_BUDGET) return this.#cut(block, start)
    }
    return block.length > room ? this.#cut(block, Math.max(0, room)) : block
  }

  #cut(block: string, at: number): string {
    this.truncate()
    return block.slice(0, at).toWellFormed().trimEnd()
  }
}

export const rowText = (cells: readonly string[]): string =>
  cells.map((cell) => cell.replace(/\s+/g, ' ').trim()).join(' | ')

/** Two files' words as one: whose pages they are on is no longer said. */
function together(one: Recognition | null, other: Recognition): Recognition {
  const { method, languages, words, dropped, confidence } = other
  if (!one) return { method, languages, words, dropped, confidence }
  const mean = (one.confidence * one.words + confidence * words) / (one.words + words)
  return {
    method,
    languages,
    words: one.words + words,
    dropped: one.dropped + dropped,
    confidence: Math.round(mean * 1000) / 1000,
  }
}
