import { counted } from '@medialog/kernel'
import type { Embeddings } from '../client/answers.ts'
import type { Look } from '../terminal/look.ts'
import { pairs, table } from '../terminal/table.ts'
import { clean } from '../terminal/text.ts'

export function renderEmbeddings(
  { embedder, pending_items: pending, models }: Embeddings,
  look: Look,
): string[] {
  const lines = pairs(
    [
      ['embedder', `${look.accent(clean(embedder.model))}, ${counted(embedder.dimensions, 'dimension')}`],
      [
        'to migrate',
        pending === 0
          ? look.good('nothing')
          : `${look.warn(counted(pending, 'item'))}: \`medialog embeddings migrate\``,
      ],
    ],
    look,
  )
  if (models.length === 0) return lines
  return [
    ...lines,
    '',
    ...table(
      models,
      [
        { title: 'VECTORS OF', value: ({ model }) => clean(model), shrinks: 'middle' },
        { title: 'ITEMS', value: ({ items }) => `${items}`, align: 'right' },
        { title: 'VECTORS', value: ({ vectors }) => `${vectors}`, align: 'right', drops: true },
        { title: 'ACCOUNTS', value: ({ accounts }) => `${accounts}`, align: 'right', drops: true },
        {
          title: 'FOUND BY',
          value: ({ found_by: found }) => clean(found),
          paint: ({ found_by: found }, look) => (found === 'words' ? look.warn : look.good),
        },
      ],
      look,
    ),
  ]
}
