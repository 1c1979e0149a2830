import type { KeyFrame, Loudness } from '@medialog/application/ports'
import { timecode } from '@medialog/kernel'
import { listed } from './listed.ts'

/** Share from which on a colour is named among those of a picture. */
const NOTABLE = 0.1
/** LUFS: what broadcasters send is at −23, what is streamed as music at −14. */
const LOUD = -14
const QUIET = -30
/** Mean luma. */
const DARK = 0.25
const BRIGHT = 0.75

/** Names of colours, each once. */
export const colorNames = (colors: readonly { name: string }[]): string[] => [
  ...new Set(colors.map(({ name }) => name)),
]

/** `2 scenes: plain red at 0:00; drawn, mostly green and blue, at 0:02.` Looks that come again are named once. */
export function scenesInWords(keyFrames: readonly KeyFrame[]): string {
  if (keyFrames.length === 0) return ''
  const times = new Map<string, string[]>()
  for (const frame of keyFrames) {
    const look = lookInWords(frame)
    times.set(look, [...(times.get(look) ?? []), timecode(frame.time)])
  }
  const looks = [...times].map(([look, at]) => `${look} at ${listed(at)}`)
  return `${keyFrames.length === 1 ? 'One scene' : `${keyFrames.length} scenes`}: ${looks.join('; ')}.`
}

function lookInWords({ kind, brightness, dominantColors }: KeyFrame): string {
  const notable = dominantColors.filter(({ share }) => share >= NOTABLE)
  const colors = colorNames(notable.length > 0 ? notable : dominantColors).slice(0, 3)
  if (kind === 'plain') return `plain ${colors[0] ?? ''}`.trim()
  const light = brightness < DARK ? 'dark' : brightness > BRIGHT ? 'bright' : ''
  const manner = [light, kind === 'drawing' ? 'drawn' : ''].filter(Boolean).join(' and ')
  return `${manner && `${manner}, `}mostly ${listed(colors)},`
}

/** `Loudness −21.8 LUFS (quiet), peaks of −3.1 dBFS, 12 % silence.` */
export function loudnessInWords({ integrated, peak, silence }: Loudness): string {
  if (integrated === null) return 'Silent.'
  const level = integrated >= LOUD ? ' (loud)' : integrated <= QUIET ? ' (quiet)' : ''
  const parts = [
    `Loudness ${decibels(integrated)} LUFS${level}`,
    peak === null ? '' : `peaks of ${decibels(peak)} dBFS`,
    silence >= 0.05 ? `${Math.round(silence * 100)} % silence` : '',
  ]
  return `${parts.filter(Boolean).join(', ')}.`
}

const decibels = (value: number): string => `${value < 0 ? '−' : ''}${Math.abs(value)}`
