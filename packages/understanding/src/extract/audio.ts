import { UnreadableFile, type AudioFacts } from '@medialog/application/ports/understanding'
import { parseBuffer, type IAudioMetadata } from 'music-metadata'
import { Content } from './content.ts'
import type { Extract } from './extractor.ts'
import { holdsLastFrame } from './flac-frames.ts'
import { withKnownLengths } from './open-ended.ts'
import { soundOf } from './sound.ts'
import { cutShort, refuseCut, refuseLong, tagsOf, warnOfCut, type Tags } from './playable.ts'

/** A recording's length, rate, channels, codec, tags and loudness; and its sound. */
export const extract: Extract = async ({ bytes: written, format, withSpeech = false }) => {
  const bytes = withKnownLengths(written)
  refuseCut(bytes, 'recording')
  const content = new Content()
  const metadata = await parseBuffer(
    bytes,
    { mimeType: format.mimeType, size: bytes.length },
    { duration: true, skipCovers: true },
  ).catch(() => {
    throw new UnreadableFile('corrupted', 'The recording could not be read.')
  })
  const facts = factsOf(metadata)
  if (isShort(metadata, format.name, bytes)) throw cutShort('recording')
  refuseLong(format, facts.duration, 'recording')
  warnOfCut(bytes, format, content, 'recording')
  const { loudness, spoken } = soundOf(bytes, content, { loudness: true, speech: withSpeech })
  const extraction = content.medium(
    format,
    { ...facts, ...(loudness && { loudness }) },
    { title: facts.tags['title'], author: facts.tags['artist'] },
  )
  return { ...extraction, ...(spoken && { spoken }) }
}

/** What the parser calls formats of WAV that it does not know. */
const CODECS: ReadonlyMap<string, string> = new Map(
  Object.entries({ 'non-PCM (65534)': 'PCM', DVI_ADPCM: 'ADPCM' }),
)

function factsOf(metadata: IAudioMetadata): AudioFacts & { tags: Tags } {
  const { codec, duration = 0, sampleRate = 0, numberOfChannels = 0, bitrate } = metadata.format
  if (!(duration > 0 && sampleRate > 0 && numberOfChannels > 0))
    throw new UnreadableFile('corrupted', 'The recording holds no playable sound.')
  return {
    mediaType: 'audio',
    duration: Math.round(duration * 1000) / 1000,
    sampleRate,
    channels: numberOfChannels,
    ...(codec && { codec: CODECS.get(codec) ?? codec }),
    ...(bitrate && { bitRate: Math.round(bitrate) }),
    tags: tagsIn(metadata),
  }
}

/** Formats whose rate is the one aimed at, or the highest; that of the others is measured. */
const NOMINAL_RATE = new Set(['ogg', 'wma'])

/** Whether the sound ends before the length that is stated inside, where its container is as long as it says. */
function isShort({ format }: IAudioMetadata, name: string, bytes: Uint8Array): boolean {
  if (name === 'flac') return !holdsLastFrame(bytes)
  const { duration = 0, bitrate = 0 } = format
  return !NOMINAL_RATE.has(name) && (duration * bitrate) / 8 > bytes.length * 1.05 + 4096
}

/** All of them: a field may hold several, parted by NUL, or come several times. */
const namesIn = (names: readonly string[] | undefined): string | undefined =>
  names?.flatMap((name) => name.split('\0')).join(', ') || undefined

function tagsIn({ common, native }: IAudioMetadata): Tags {
  const { no, of } = common.track
  return tagsOf([
    ['title', common.title],
    ['artist', namesIn(common.artists) ?? common.artist],
    ['album', common.album],
    ['albumartist', namesIn(common.albumartists) ?? common.albumartist],
    ['composer', common.composer?.join(', ')],
    // Some writers of WMA name the year otherwise than Windows does.
    ['year', common.year ?? native['asf']?.find(({ id }) => id === 'date')?.value],
    ['genre', common.genre?.join(', ')],
    ['track', no && of ? `${no}/${of}` : no],
    ['comment', common.comment?.map(({ text }) => text).join(' ')],
  ])
}
