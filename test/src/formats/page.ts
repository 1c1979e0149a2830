import { FORMATS, type FormatRow } from '@medialog/understanding/formats'
import { ROWS } from './rows.ts'

const HEAD = `# Formats

Made by \`npm run formats\` from the tests in \`test/src/formats\`: a row is here because each of its samples
(\`test/fixtures\`) was uploaded and had the facts that it shows, and because the first of them went through a batch, and
through analysis under every extension.

Facts of a file stand in its item's \`file_info\` and \`metadata.modality\`, its title and author in
\`metadata.search.description\`, what was doubtful or left out in \`metadata.processing.warnings\`, and its text, with
\`include_chunks=true\`, in \`content\`. The language decides by which methods it is summed up, and is not shown.

The type is decided by the bytes, then by the extension: a file under a wrong name is taken for what it is. How formats are
read, what is concluded from them and what a parser may do is in \`packages/understanding/README.md\`.
`

const TYPES: Record<FormatRow['mediaType'], { title: string; text: string }> = {
  document: {
    title: 'Documents',
    text: 'Up to about 75 000 tokens are read; what is longer is read up to there and says `was_truncated`.',
  },
  image: { title: 'Images', text: 'Up to 50 million pixels. Size and orientation are as shown.' },
  video: { title: 'Video', text: '' },
  audio: { title: 'Audio', text: '' },
  model: {
    title: '3D models',
    text: 'Corners count once a position, as placed by the scene; sizes are in the file’s own unit.',
  },
}

const MB = 1_000_000

function limitsOf({ maxBytes, maxAnalysisBytes, maxSeconds }: FormatRow): string {
  const analysis = maxAnalysisBytes === undefined ? '' : ` (${maxAnalysisBytes / MB} MB to be analysed)`
  const length = maxSeconds === undefined ? '' : ` and ${maxSeconds / 60} minutes`
  return `At most ${maxBytes / MB} MB${analysis}${length}.`
}

/** The page, from the table of formats and the rows about them. */
export const formatsPage = (): string =>
  [HEAD, ...Object.entries(TYPES).map(([type, section]) => sectionOf(type, section))].join('\n')

function sectionOf(type: string, { title, text }: { title: string; text: string }): string {
  const formats = FORMATS.filter(({ mediaType }) => mediaType === type)
  const [first] = formats as [FormatRow, ...FormatRow[]]
  const rows = formats.map(({ name, extensions, mimeType }) => {
    const { reads, by, bounds, samples } = ROWS[name]!
    return [
      extensions.map((extension) => `\`.${extension}\``).join(' '),
      `\`${mimeType}\``,
      reads,
      by,
      bounds ?? '',
      Object.entries(samples)
        .map(([path, facts]) => `\`${path}\`: ${facts}`)
        .join('<br>'),
    ]
  })
  const head = ['Extensions', 'MIME type', 'What comes out', 'Read by', 'Bounds', 'Shown by']
  return `## ${title}\n\n${[limitsOf(first), text].filter(Boolean).join(' ')}\n\n${table(head, rows)}`
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/<(?!br>)/g, '&lt;')
const table = (head: string[], rows: string[][]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |\n`).join('')
