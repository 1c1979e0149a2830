import { UnreadableFile, type AudioFacts } from '@medialog/application/ports/understanding'
import { parseBuffer, type IAudioMetadata, type ICommonTagsResult } from 'music-metadata'
import { line } from '../text/clean.ts'
import { Content } from './content.ts'
import type { Extract } from './extractor.ts'

/** A recording's length, rate, channels, codec and tags. */
export const extract: Extract = async ({ bytes, format }) => {
  refuseTruncatedRiff(bytes)
  const content = new Content()
  const metadata = await parseBuffer(
    bytes,
    { mimeType: format.mimeType, size: bytes.length },
    { duration: true, skipCovers: true },
  ).catch(() => {
    throw new UnreadableFile('corrupted', 'The recording could not be read.')
  })
  const facts = factsOf(metadata, bytes.length)
  if (format.maxSeconds !== undefined && facts.duration > format.maxSeconds)
    throw new UnreadableFile('too-large', `The recording is longer than ${format.maxSeconds / 60} minutes.`)
  return content.medium(format, facts, { title: metadata.common.title, author: metadata.common.artist })
}

/** A RIFF header states the file's length less 8; 0 and all ones mean that it was not known when it was written. */
function refuseTruncatedRiff(bytes: Uint8Array): void {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (file.length < 8 || file.toString('latin1', 0, 4) !== 'RIFF') return
  const stated = file.readUInt32LE(4)
  if (stated !== 0xffffffff && stated > file.length)
    throw new UnreadableFile('corrupted', 'The recording ends before the length its header states.')
}

function factsOf({ format, common }: IAudioMetadata, size: number): AudioFacts {
  const { duration = 0, sampleRate = 0, numberOfChannels = 0, bitrate } = format
  if (!(duration > 0 && sampleRate > 0 && numberOfChannels > 0))
    throw new UnreadableFile('corrupted', 'The recording holds no playable sound.')
  if (bitrate && (duration * bitrate) / 8 > size * 1.05 + 4096)
    throw new UnreadableFile('corrupted', 'The recording ends before the length its header states.')
  return {
    mediaType: 'audio',
    duration: Math.round(duration * 1000) / 1000,
    sampleRate,
    channels: numberOfChannels,
    ...(format.codec && { codec: format.codec }),
    ...(bitrate && { bitRate: Math.round(bitrate) }),
    tags: tagsOf(common),
  }
}

function tagsOf(common: ICommonTagsResult): { [name: string]: string } {
  const { no, of } = common.track
  const found: [string, unknown][] = [
    ['title', common.title],
    ['artist', common.artist],
    ['album', common.album],
    ['albumartist', common.albumartist],
    ['composer', common.composer?.join(', ')],
    ['year', common.year],
    ['genre', common.genre?.join(', ')],
    ['track', no && of ? `${no}/${of}` : no],
    ['comment', common.comment?.map(({ text }) => text).join(' ')],
  ]
  return Object.fromEntries(
    found.flatMap(([name, value]) => (line(value) === null ? [] : [[name, line(value)!]])),
  )
}
