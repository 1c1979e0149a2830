import { readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Enrichment, Understanding } from '@medialog/application/ports'

export const NAMED = ['people', 'organizations', 'locations'] as const
export type Named = (typeof NAMED)[number]

/** What a reader says of a text; a name may be given in several forms, of which one suffices. */
export interface LabelledText extends Record<Named, string[]> {
  file: string
  /** Not looked at while methods and thresholds were chosen. */
  heldOut: boolean
  /** Parts of the sentences of which one says what the text is about; empty where no sentence does. */
  key: string[]
}

export interface Concluded {
  label: LabelledText
  found: Enrichment
}

const FOLDER = new URL('../../benchmarks/entities/', import.meta.url)

export const labelledTexts = (): LabelledText[] =>
  JSON.parse(readFileSync(new URL('labels.json', FOLDER), 'utf8')) as LabelledText[]

/** Reads every text as the service reads a file of it. */
export async function concludedOf(understanding: Understanding): Promise<Concluded[]> {
  return Promise.all(
    labelledTexts().map(async (label) => {
      const path = fileURLToPath(new URL(`texts/${label.file}`, FOLDER))
      const { size } = statSync(path)
      const format = understanding.identify(label.file, readFileSync(path))
      const { enrichment } = await understanding.read({ path, filename: label.file, size, format }, {})
      return { label, found: enrichment }
    }),
  )
}

/** Names found that no label has, and labels of which no form was found; in any case of letters. */
export function missed(
  found: readonly string[],
  labels: readonly string[],
): { wrong: string[]; lacking: string[] } {
  const forms = labels.map((label) => label.toLowerCase().split('|'))
  const names = found.map((name) => name.toLowerCase())
  return {
    wrong: found.filter((_, i) => !forms.some((form) => form.includes(names[i]!))),
    lacking: labels.filter((_, i) => !forms[i]!.some((form) => names.includes(form))),
  }
}

/** F1 of names found against names labelled, over all texts and the kinds told. */
export function f1(all: readonly Concluded[], kinds: readonly Named[] = NAMED): number {
  let [right, wrong, lacking] = [0, 0, 0]
  for (const { label, found } of all)
    for (const kind of kinds) {
      const at = missed(found.entities[kind], label[kind])
      right += label[kind].length - at.lacking.length
      wrong += at.wrong.length
      lacking += at.lacking.length
    }
  return (2 * right) / Math.max(1, 2 * right + wrong + lacking)
}

/** The share of summaries that hold a key sentence, of texts that have one. */
export function keySentences(all: readonly Concluded[]): number {
  const having = all.filter(({ label }) => label.key.length > 0)
  return (
    having.filter(({ label, found }) => label.key.some((part) => found.summary.includes(part))).length /
    having.length
  )
}
