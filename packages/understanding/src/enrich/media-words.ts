import type { Extraction, Facts } from '@medialog/application/ports'
import { filenameWords } from './head.ts'
import { colorNames } from './media-looks.ts'
import { wordsOf } from './words.ts'

/** Words that stand beside a medium without text: its title, tags, parts and file name. */
export function wordsAbout(extraction: Extraction, filename: string): string {
  return [extraction.title ?? '', filenameWords(filename), ...tagWords(extraction), ...told(extraction)]
    .filter(Boolean)
    .join('. ')
}

/** What someone wrote about a video, or saw in a picture, in sentences. */
function told({ facts }: Extraction): string[] {
  if (facts.mediaType === 'image') return facts.seen ? [facts.seen.description] : []
  return facts.mediaType === 'video'
    ? ['description', 'comment'].flatMap((tag) => facts.tags?.[tag] ?? [])
    : []
}

function tagWords({ facts }: Extraction): string[] {
  switch (facts.mediaType) {
    case 'document':
      return []
    case 'image':
      return [
        ...['ImageDescription', 'Make', 'Model'].flatMap((tag) =>
          tag in facts.exif ? [String(facts.exif[tag])] : [],
        ),
        ...(facts.seen ? [facts.seen.sceneType, ...facts.seen.elements] : []),
      ]
    case 'audio':
      return ['title', 'artist', 'album', 'genre'].flatMap((tag) => facts.tags[tag] ?? [])
    case 'video':
      return [
        ...['title', 'artist', 'album', 'genre', 'location'].flatMap((tag) => facts.tags?.[tag] ?? []),
        ...(facts.tags?.['keywords']?.split(/[,;]/) ?? []),
      ]
    case 'model':
      return [...facts.parts.slice(0, 8), ...facts.materials.slice(0, 8)]
  }
}

function colorsOf(facts: Facts): string[] {
  switch (facts.mediaType) {
    case 'image':
      return colorNames(facts.dominantColors).slice(0, 3)
    case 'video':
      return colorNames(
        facts.keyFrames?.flatMap(({ dominantColors }) => dominantColors.slice(0, 2)) ?? [],
      ).slice(0, 4)
    case 'model':
      return colorNames(facts.colors ?? []).slice(0, 4)
    default:
      return []
  }
}

/** At most `limit` keywords of a medium without text: tags, title, file name, colours. */
export function mediaKeywords(extraction: Extraction, filename: string, limit: number): string[] {
  const { facts } = extraction
  const colors = colorsOf(facts)
  const words = wordsOf(filenameWords(filename)).filter((word) => word.length > 1 && !/^\d+$/.test(word))
  const all = [...tagWords(extraction), extraction.title ?? '', ...words, ...colors].map((word) =>
    word.toLowerCase().trim(),
  )
  return [...new Set(all.filter(Boolean))].slice(0, limit)
}
