import { sum, toUsdNumber, counted } from '@medialog/kernel'
import type { UploadAnswer } from '../client/answers.ts'
import { bar } from '../terminal/bar.ts'
import { bytes, dollars, money } from '../terminal/format.ts'
import type { Look } from '../terminal/look.ts'
import { clean, truncate, truncateMiddle, widthOf, wrap } from '../terminal/text.ts'
import type { Outcome } from '../upload/upload-file.ts'
import { factsOf, list, names } from './facts.ts'

export const SKIPPED = 'not of a supported type, skipped'

/** One line a file: what became of it. */
export function renderOutcome(outcome: Outcome, look: Look): string[] {
  const name = clean(outcome.file.shown)
  switch (outcome.kind) {
    case 'stored': {
      const { media_id: id, media_type: type, balance_info: bill } = outcome.answer
      return [
        `${look.good('✓')} ${name}  ${look.accent(clean(id))}  ${look.dim(`${clean(type)}, ${dollars(bill.cost)}`)}`,
      ]
    }
    case 'duplicate': {
      const { existing } = outcome
      const where = existing && `  ${look.accent(clean(existing.mediaId))}`
      const place = existing ? `already in ${clean(existing.collection)}` : 'already stored'
      return [`${look.warn('=')} ${name}${where ?? ''}  ${look.dim(`${place}, free`)}`]
    }
    case 'skipped':
      return [`${look.warn('-')} ${name}  ${look.dim(SKIPPED)}`]
    case 'interrupted':
      return [`${look.warn('-')} ${name}  ${look.dim('not uploaded')}`]
    case 'failed':
      return [
        `${look.bad('✗')} ${name}  ${clean(outcome.error.message)} ${look.dim(`(${outcome.error.code})`)}`,
      ]
  }
}

export interface UploadSummary {
  stored: number
  duplicates: number
  skipped: number
  failed: number
  not_uploaded: number
  /** USD, and of the stored files. */
  cost: number
  size_bytes: number
  balance: number | null
}

export function summarize(outcomes: readonly Outcome[]): UploadSummary {
  const stored = outcomes.filter((outcome) => outcome.kind === 'stored')
  const numberOf = (kind: Outcome['kind']) => outcomes.filter((outcome) => outcome.kind === kind).length
  const costs = stored.map(({ answer }) => money(answer.balance_info.cost))
  const balances = stored.map(({ answer }) => answer.balance_info.new_balance)
  return {
    stored: stored.length,
    duplicates: numberOf('duplicate'),
    skipped: numberOf('skipped'),
    failed: numberOf('failed'),
    not_uploaded: numberOf('interrupted'),
    cost: toUsdNumber(sum(costs)),
    size_bytes: stored.reduce((total, { file }) => total + file.size, 0),
    // Each upload costs, so the lowest is the latest.
    balance: balances.length > 0 ? Math.min(...balances) : null,
  }
}

export function renderSummary(summary: UploadSummary, look: Look): string[] {
  const parts = [
    look.bold(`${summary.stored} stored`),
    summary.duplicates > 0 && look.warn(counted(summary.duplicates, 'duplicate')),
    summary.skipped > 0 && look.warn(`${summary.skipped} skipped`),
    summary.failed > 0 && look.bad(`${summary.failed} failed`),
    summary.not_uploaded > 0 && look.warn(`${summary.not_uploaded} not uploaded`),
  ].filter((part) => part !== false)
  const balance = summary.balance === null ? '' : `, balance ${dollars(summary.balance)}`
  return [
    '',
    `${parts.join(', ')}  ${look.dim(`${bytes(summary.size_bytes)}, cost ${dollars(summary.cost)}${balance}`)}`,
  ]
}

export interface UploadState {
  files: { done: number; total: number }
  bytes: { done: number; total: number }
  /** The file that was begun last, or why nothing moves. */
  current: string
}

/** The progress line, within the terminal's width. */
export function renderProgress({ files, bytes: size, current }: UploadState, look: Look): string {
  const ratio = size.total > 0 ? size.done / size.total : files.done / files.total
  const numbers = `${files.done}/${files.total} files  ${bytes(size.done)}/${bytes(size.total)}`
  const width = Math.min(24, Math.max(6, look.width - widthOf(numbers) - 20))
  const room = look.width - width - widthOf(numbers) - 5
  const shown = room > 8 ? `  ${look.dim(truncateMiddle(clean(current), room))}` : ''
  return `${look.accent(bar(ratio, width))}  ${numbers}${shown}`
}

/** A stored file with what was understood of it. */
export function renderUpload(answer: UploadAnswer, look: Look): string[] {
  const { file_details: file, content_summary: content, balance_info: bill } = answer
  const facts = [clean(answer.media_type), bytes(file.size_bytes), factsOf(file)].filter(Boolean).join(', ')
  const room = Math.min(look.width, 110) - 4
  const more = (title: string, text: string) =>
    text ? [`    ${look.dim(title)} ${truncate(text, room - title.length - 1)}`] : []
  return [
    `${look.good('✓')} ${look.bold(clean(file.filename))}  ${look.dim(facts)}  ${look.good(dollars(bill.cost))}`,
    `    ${look.accent(clean(answer.media_id))}`,
    ...wrap(clean(content.summary), room)
      .slice(0, 3)
      .map((line) => `    ${line}`),
    ...more('topics', list(content.topics)),
    ...more('names', names(content.entities)),
  ]
}
