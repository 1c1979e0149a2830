import { UnreadableFile, type Format, type VideoFacts } from '@medialog/application/ports/understanding'
import { mediaInfoFactory, type GeneralTrack, type VideoTrack } from 'mediainfo.js'
import { line } from '../text/clean.ts'
import { Content } from './content.ts'
import type { Extract } from './extractor.ts'
import { keyFramesOf } from './key-frames.ts'
import { cutShort, refuseCut, refuseLong, tagsOf, warnOfCut, type Tags } from './playable.ts'
import { soundOf } from './sound.ts'
import { timingOf } from './webm-timing.ts'

/** A video's length, size as shown, frame rate, codec, tags, and a frame of each scene; and its sound. */
export const extract: Extract = async ({ bytes, format, withSpeech = false }) => {
  refuseCut(bytes, 'video')
  const content = new Content()
  const { general, video } = await tracksOf(bytes, format)
  const facts = factsOf(general, video, bytes)
  refuseLong(format, facts.duration, 'video')
  warnOfCut(bytes, format, content, 'video')
  const seen = keyFramesOf(bytes, facts, content)
  const spoken = withSpeech ? soundOf(bytes, content, { loudness: false, speech: true }).spoken : null
  const extraction = content.medium(
    format,
    { ...facts, ...(seen && { keyFrames: seen.keyFrames }) },
    { title: facts.tags['title'], author: facts.tags['artist'] },
  )
  return { ...extraction, ...(seen && { thumbnails: seen.thumbnails }), ...(spoken && { spoken }) }
}

/** The parser asks for the pieces that it needs, so it never holds the file a second time. */
async function tracksOf(
  bytes: Uint8Array,
  format: Format,
): Promise<{ general: GeneralTrack; video: VideoTrack }> {
  const mediaInfo = await mediaInfoFactory({ format: 'object' })
  try {
    const { media } = await mediaInfo.analyzeData(bytes.length, (size, offset) =>
      bytes.subarray(offset, offset + size),
    )
    const general = media?.track.find((track) => track['@type'] === 'General')
    const video = media?.track.find((track) => track['@type'] === 'Video')
    if (general?.AudioCount && !video) throw soundOnly(format)
    if (!general || !video) throw noPictures()
    return { general, video }
  } finally {
    mediaInfo.close()
  }
}

const noPictures = (): UnreadableFile =>
  new UnreadableFile('corrupted', 'The video holds no playable pictures.')

/** Where pictures are announced is sometimes out of sight of the first bytes, so the name was believed. */
const RECORDINGS: ReadonlyMap<string, string> = new Map(Object.entries({ mp4: 'm4a', wmv: 'wma' }))

function soundOnly({ name }: Format): UnreadableFile {
  const recording = RECORDINGS.get(name)
  const advice = recording ? ` Under a name with .${recording} it is read as a recording.` : ''
  return new UnreadableFile('corrupted', `The video holds sound but no pictures.${advice}`)
}

function factsOf(general: GeneralTrack, video: VideoTrack, bytes: Uint8Array): VideoFacts & { tags: Tags } {
  const { duration, frameRate } = timesOf(general, video, bytes)
  const { width, height } = shownSize(video)
  const codec = codecOf(video)
  if (![duration, width, height, frameRate].every((fact) => Number.isFinite(fact) && fact > 0))
    throw noPictures()
  if (duration * frameRate * SMALLEST_PICTURE > bytes.length) throw cutShort('video')
  return {
    mediaType: 'video',
    duration: Math.round(duration * 1000) / 1000,
    width,
    height,
    frameRate: Math.round(frameRate * 1000) / 1000,
    ...(codec && { codec }),
    tags: tagsIn(general),
  }
}

/** Bytes. No coder takes fewer for a picture that is like the last, so damaged times show. */
const SMALLEST_PICTURE = 4

function timesOf(
  { Duration: duration, Format }: GeneralTrack,
  { FrameRate, FrameCount = 0 }: VideoTrack,
  bytes: Uint8Array,
): { duration: number; frameRate: number } {
  const frameRate = FrameRate ?? FrameCount / (duration ?? 0)
  if (duration && frameRate > 0) return { duration, frameRate }
  const counted = Format === 'WebM' ? timingOf(bytes) : null
  return { duration: duration ?? counted?.duration ?? 0, frameRate: FrameRate ?? counted?.frameRate ?? 0 }
}

/** Telephones store what they film lying down and say by how many degrees to turn it. */
function shownSize({ Width = 0, Height = 0, Rotation = '0' }: VideoTrack): { width: number; height: number } {
  const isTurned = Math.round(Number(Rotation) / 90) % 2 !== 0
  return isTurned ? { width: Height, height: Width } : { width: Width, height: Height }
}

const COMMON_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({ AVC: 'H.264', 'MPEG Video': 'MPEG' }),
)

/** `H.264`, `HEVC`, `VP9`, `MPEG-2`: the names under which people look for them. */
function codecOf({ Format, Format_Version }: VideoTrack): string | null {
  if (Format === undefined) return null
  const name = COMMON_NAMES.get(Format) ?? Format
  return line(name === 'MPEG' && Format_Version ? `MPEG-${Format_Version}` : name, 60)
}

function tagsIn(general: GeneralTrack): Tags {
  const named = [
    ['title', general.Title],
    ['artist', general.Performer ?? general.Director],
    ['album', general.Album],
    ['composer', general.Composer],
    ['year', /\b\d{4}\b/.exec(general.Recorded_Date ?? '')?.[0]],
    ['genre', general.Genre],
    ['keywords', general.Keywords],
    ['description', general.Description ?? general.Synopsis ?? general.Summary],
    ['comment', general.Comment],
    ['copyright', general.Copyright],
    ['location', general.Recorded_Location],
  ] as const
  return tagsOf(named.filter(([, value]) => !PARSER_NOTE.test(value ?? '')))
}

/** What the parser says in the place of a value it cannot read. */
const PARSER_NOTE = /^(?:Unknown kind of (?:integer )?value!|UTF-16 encoding not yet supported)$/
