import type { KeyFrame } from '@medialog/application/ports/understanding'
import { MediaDecoder, UndecodableMedia, type Frame } from '../media/decoder.ts'
import { DecoderMissing } from '../media/module.ts'
import { lookOf } from '../media/picture-look.ts'
import { SceneChanges, type Scene } from '../media/scene-changes.ts'
import type { Content } from './content.ts'
import { WorkBudget } from './work-budget.ts'

/** A frame of each scene, and a JPEG of each, in the same order. */
export interface KeyFrames {
  keyFrames: KeyFrame[]
  thumbnails: Uint8Array[]
}

const MOST_SCENES = 12
const THUMBNAIL_SIDE = 320
/** Decoded pixels of a video that is looked at frame by frame: ten seconds of 1080p, a minute and a half of 360p. */
const EVERY_FRAME = 600e6
/** Of a longer one: frames that stand by themselves cost about four times as much a pixel. */
const SINGLE_FRAMES = 200e6
const MOST_SINGLE_FRAMES = 300

/** The size and length of what is to be looked at, as the container states them. */
interface Stated {
  width: number
  height: number
  duration: number
  frameRate: number
}

/**
 * Short videos are decoded whole; of longer ones the frames that stand by themselves, evenly spread. Where there are
 * none of them but the first, as browsers record, frame by frame as far as the budget reaches. Null where no picture can
 * be decoded: the content says why.
 */
export function keyFramesOf(bytes: Uint8Array, stated: Stated, content: Content): KeyFrames | null {
  try {
    const decoder = MediaDecoder.open(bytes, 'pictures')
    const scenes = scenesOf(decoder, stated, content)
    if (scenes.length === 0) throw new UndecodableMedia('damaged')
    return {
      keyFrames: scenes.map(({ time, picture }) => ({ time: rounded(time), ...lookOf(picture) })),
      thumbnails: scenes.map(({ picture }) => decoder.compress(picture)),
    }
  } catch (error) {
    content.warn(sentenceOf(error))
    return null
  }
}

function scenesOf(decoder: MediaDecoder, stated: Stated, content: Content): Scene[] {
  const { width, height, duration, frameRate } = stated
  const pixels = width * height
  if (duration * frameRate * pixels > EVERY_FRAME) {
    const count = Math.min(MOST_SINGLE_FRAMES, Math.max(1, Math.floor(SINGLE_FRAMES / pixels)))
    const budget = new WorkBudget(SINGLE_FRAMES)
    const single = look(decoder.frames(duration / count), budget, true)
    if (budget.isSpent) content.warn(PARTLY_SEEN)
    if (single.seen > 1) return single.scenes
    decoder.rewind()
  }
  const budget = new WorkBudget(EVERY_FRAME)
  const { scenes } = look(decoder.frames(), budget, false)
  if (budget.isSpent) content.warn(PARTLY_SEEN)
  return scenes
}

function look(
  frames: Iterable<Frame | null>,
  budget: WorkBudget,
  sparse: boolean,
): { scenes: Scene[]; seen: number } {
  const changes = new SceneChanges({ most: MOST_SCENES, side: THUMBNAIL_SIDE, sparse })
  let seen = 0
  for (const frame of frames) {
    if (frame) {
      seen++
      changes.add(frame)
    }
    budget.spend(frame?.pixels ?? 0)
    if (budget.isSpent) break
  }
  return { scenes: changes.scenes(), seen }
}

const PARTLY_SEEN = 'Only the beginning of the video was looked at for scenes.'

/** Whatever a damaged stream does to its decoder, the video's other facts stand. */
function sentenceOf(error: unknown): string {
  if (error instanceof DecoderMissing)
    return 'No decoder for pictures is installed: no scenes were looked for.'
  if (error instanceof UndecodableMedia && error.reason === 'codec')
    return 'The pictures are in a codec that is not decoded: no scenes were looked for.'
  return 'The pictures could not be decoded: no scenes were looked for.'
}

const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000
