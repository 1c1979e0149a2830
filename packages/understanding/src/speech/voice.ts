import { RATE } from './mel.ts'

/** From one sample to before another. */
export type Stretch = readonly [start: number, end: number]

/** A fiftieth of a second: what a level is measured of. */
const FRAME = RATE / 50
const FULL_SCALE = 32_768
/** By so much of the sample before each is less: hum and rumble go. */
const PRE_EMPHASIS = 0.95
/** Frames that the levels are compared within: half a minute, with as much around it. */
const PART = 1_500
/** Decibels relative to full scale, after pre-emphasis: what is below it is silence. */
const FLOOR = -72
/** Decibels. Where nearly all levels lie within so many, it is noise or a tone. */
const FLAT = 2.5
/** Frames. Shorter gaps are bridged, shorter sounds are clicks, and so much stays around speech. */
const BRIDGED = 15
const CLICK = 4
const MARGIN = 10

/**
 * Where someone may be speaking: what is louder than the noise around it, and changes. Speech that starts and ends within it
 * is whole. Silence, even noise and tones give nothing; music does, and is left to who listens.
 */
export function voiceIn(sound: Int16Array): Stretch[] {
  const levels = levelsOf(sound)
  const loud = new Uint8Array(levels.length)
  for (let start = 0; start < levels.length; start += PART) {
    const from = Math.max(0, Math.min(start - PART / 2, levels.length - 2 * PART))
    const threshold = thresholdOf(levels.slice(from, from + 2 * PART))
    for (let i = start; i < Math.min(levels.length, start + PART); i++)
      if (levels[i]! > threshold) loud[i] = 1
  }
  return stretchesOf(loud).map(([start, end]) => [start * FRAME, Math.min(sound.length, end * FRAME)])
}

/** Decibels of each whole frame. */
function levelsOf(sound: Int16Array): Float32Array {
  const levels = new Float32Array(Math.floor(sound.length / FRAME))
  let before = 0
  for (let frame = 0; frame < levels.length; frame++) {
    let sum = 0
    for (let i = frame * FRAME; i < (frame + 1) * FRAME; i++) {
      const value = (sound[i]! - PRE_EMPHASIS * before) / FULL_SCALE
      before = sound[i]!
      sum += value * value
    }
    levels[frame] = 10 * Math.log10(sum / FRAME + 1e-12)
  }
  return levels
}

/** Infinite where all is noise. Sorts the levels. */
function thresholdOf(levels: Float32Array): number {
  levels.sort()
  const at = (share: number): number =>
    levels[Math.min(levels.length - 1, Math.floor(share * levels.length))]!
  const [quiet, high] = [at(0.1), at(0.95)]
  if (high - quiet < FLAT) return Infinity
  return Math.max(FLOOR, high - 35, Math.min(quiet + 6, high - 15))
}

function stretchesOf(loud: Uint8Array): Stretch[] {
  const stretches: [start: number, end: number][] = []
  let [start, last, count] = [-1, -1, 0]
  const close = (): void => {
    if (start < 0 || count < CLICK) return
    const [from, to] = [Math.max(0, start - MARGIN), Math.min(loud.length, last + 1 + MARGIN)]
    const before = stretches.at(-1)
    if (before && from <= before[1]) before[1] = to
    else stretches.push([from, to])
  }
  for (const [frame, isLoud] of loud.entries()) {
    if (!isLoud) continue
    if (start < 0 || frame - last > BRIDGED) {
      close()
      ;[start, count] = [frame, 0]
    }
    last = frame
    count++
  }
  close()
  return stretches
}
