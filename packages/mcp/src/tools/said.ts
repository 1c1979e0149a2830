import { timecode } from '@medialog/kernel'

/** From where on the text is what is said then. */
export interface Time {
  text_offset: number
  at: string
}

/** Seconds. */
const APART = 30

/** When what is said is, about every half minute. `segments` are parts of the text, in its order. */
export function timesOf(whole: string, segments: readonly { start: number; text: string }[]): Time[] {
  const times: Time[] = []
  let [from, last] = [0, -Infinity]
  for (const { start, text } of segments) {
    const offset = whole.indexOf(text, from)
    if (offset < 0) continue
    from = offset + text.length
    if (start - last < APART) continue
    last = start
    times.push({ text_offset: offset, at: timecode(start) })
  }
  return times
}

/** A piece of a text, from `start` on: each time begins a line, before what is said then. */
export function timed(text: string, start: number, times: readonly Time[]): string {
  if (times.length === 0) return text
  const places = [...times.map(({ text_offset: place }) => place - start), text.length]
  const lines = times.map(({ at }, n) => `[${at}] ${text.slice(places[n], places[n + 1]).trim()}`)
  return [text.slice(0, places[0]).trim(), ...lines].filter(Boolean).join('\n')
}
