/**
 * What the text of a group is. `ignored`: nothing in it counts; `silent`: no text, but pictures in it count; `note`: a
 * footnote or endnote to the words before it.
 */
export type Destination =
  | 'body'
  | 'note'
  | 'silent'
  | 'ignored'
  | 'fonts'
  | 'styles'
  | 'info'
  | 'title'
  | 'author'

const DESTINATIONS: ReadonlyMap<string, Destination> = new Map(
  Object.entries<Destination>({
    fonttbl: 'fonts',
    stylesheet: 'styles',
    info: 'info',
    title: 'title',
    author: 'author',
    object: 'silent',
    sp: 'silent',
    sv: 'silent',
    result: 'body',
    shprslt: 'ignored',
    shptxt: 'body',
    shppict: 'body',
    shpinst: 'body',
    footnote: 'note',
    ...Object.fromEntries(
      (
        'colortbl header headerl headerr headerf footer footerl footerr footerf nonshppict sn objdata fldinst pntext listtext ' +
        'bkmkstart bkmkend xe tc txe rxe annotation atnid atnauthor subject keywords doccomm comment operator manager company ' +
        'category hlinkbase creatim revtim printim buptim themedata colorschememapping datastore latentstyles pict filetbl ' +
        'listtable listoverridetable rsidtbl generator xmlnstbl mmathPr private ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn'
      )
        .split(' ')
        .map((word) => [word, 'ignored' as const]),
    ),
  }),
)

/** Only inside `info` do these words name destinations. */
const INFO_ONLY = new Set(['title', 'author'])

/** The destination that a control word opens within another, or null when it opens none. */
export function destinationOf(word: string, within: Destination): Destination | null {
  if (!DESTINATIONS.has(word)) return null
  return INFO_ONLY.has(word) && within !== 'info' ? null : DESTINATIONS.get(word)!
}
