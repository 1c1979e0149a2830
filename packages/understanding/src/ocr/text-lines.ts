import { componentsOf, type Component } from './components.ts'
import type { GreyPicture } from './grey-picture.ts'

export type Quarters = 0 | 1 | 2 | 3

/** What looks like writing in a picture, before any letter is read. */
export interface TextLines {
  /** Patches of ink that stand in lines as letters do. */
  characters: number
  /** Median height of them in pixels. */
  height: number
  /** Clockwise turns by which the lines come to lie as they are read. */
  quarters: Quarters
  /** Whether there is enough of it to be read. */
  worthReading: boolean
}

const LEAST_HEIGHT = 5
const LEAST_IN_LINE = 5
const LEAST_IN_CLEAN_LINE = 6
/** Where so many of the patches of a letter's size stand in lines, loose lines count too. */
const REGULAR = 0.4
/** So many more letters must stand in clean lines after turning: rows of capitals and digits look alike either way. */
const CLEARLY_MORE = 1.5

/**
 * Looks for lines of writing, dark or light, in a picture at most 1200 pixels wide and high (about 20 ms): patches of
 * about one height, close to one another, on one foot. A photograph has many patches and few such lines.
 */
export function textLines(picture: GreyPicture): TextLines {
  const patches = (['dark', 'light'] as const).map((polarity) =>
    componentsOf(picture, polarity).filter((patch) => mayBeLetter(patch, picture)),
  )
  const [upright, ...others] = ([0, 1, 3, 2] as const).map((quarters) =>
    best(patches.map((ofPolarity) => measured(turnedBoxes(ofPolarity, picture, quarters), quarters))),
  )
  return others.reduce(
    (first, other) => (other.clean > CLEARLY_MORE * first.clean && other.worthReading ? other : first),
    upright!,
  )
}

interface Measured extends TextLines {
  /** Characters in lines that hardly anything but writing makes. */
  clean: number
}

const best = (measured: readonly Measured[]): Measured =>
  measured.reduce((first, other) =>
    other.clean > first.clean || (other.clean === first.clean && other.characters > first.characters)
      ? other
      : first,
  )

function mayBeLetter({ left, top, right, bottom, area }: Component, { width, height }: GreyPicture): boolean {
  const [across, down] = [right - left, bottom - top]
  const [small, large] = [Math.min(across, down), Math.max(across, down)]
  if (large < LEAST_HEIGHT || large >= Math.max(width, height) / 4 || large > 12 * small) return false
  return area > 0.12 * across * down
}

function turnedBoxes(
  boxes: readonly Component[],
  { width, height }: GreyPicture,
  quarters: Quarters,
): Component[] {
  return boxes.map((box) => {
    const { left, top, right, bottom, area } = box
    if (quarters === 1) return { left: height - bottom, top: left, right: height - top, bottom: right, area }
    if (quarters === 2)
      return { left: width - right, top: height - bottom, right: width - left, bottom: height - top, area }
    if (quarters === 3) return { left: top, top: width - right, right: bottom, bottom: width - left, area }
    return box
  })
}

function measured(patches: readonly Component[], quarters: Quarters): Measured {
  const tall = patches.filter(
    (patch) => heightOf(patch) >= LEAST_HEIGHT && widthOf(patch) <= 6 * heightOf(patch),
  )
  const lines = linesOf(tall)
  const clean = lines.filter(isClean)
  const inLines = lines.reduce((sum, line) => sum + line.length, 0)
  const inClean = clean.reduce((sum, line) => sum + line.length, 0)
  const regular = inLines >= REGULAR * tall.length
  return {
    clean: inClean,
    characters: regular ? inLines : inClean,
    height: median((regular ? lines : clean).flat().map(heightOf)),
    quarters,
    worthReading: inClean >= LEAST_IN_CLEAN_LINE || (regular && inLines >= LEAST_IN_LINE),
  }
}

/** Patches chained from left to right, each of about the height of the last, level with it, close to it. */
function linesOf(patches: readonly Component[]): Component[][] {
  const lines: Component[][] = []
  // Of the lines that pass through a row of pixels, a patch can only go on with the one that was there last.
  const lastIn: (Component[] | undefined)[] = []
  for (const patch of [...patches].sort((a, b) => a.left - b.left || a.top - b.top)) {
    let line: Component[] | undefined
    for (let y = patch.top; y < patch.bottom; y++) {
      const open = lastIn[y]
      if (!open || open === line || !follows(open.at(-1)!, patch)) continue
      if (!line || open.at(-1)!.right > line.at(-1)!.right) line = open
    }
    if (line) line.push(patch)
    else lines.push((line = [patch]))
    for (let y = patch.top; y < patch.bottom; y++) lastIn[y] = line
  }
  return lines.filter(
    (line) => line.length >= LEAST_IN_LINE && share(steps(line), (step) => step <= 0.2) >= 0.6,
  )
}

function follows(last: Component, next: Component): boolean {
  const [a, b] = [heightOf(last), heightOf(next)]
  const level = Math.min(last.bottom, next.bottom) - Math.max(last.top, next.top)
  return (
    next.left - last.right <= 2.5 * Math.max(a, b) &&
    Math.max(a, b) <= 2 * Math.min(a, b) &&
    level >= 0.5 * Math.min(a, b)
  )
}

/** Letters are of two heights, stand close on one foot, and are rarely wide. */
function isClean(line: readonly Component[]): boolean {
  const height = median(line.map(heightOf))
  const gaps = line.slice(1).map((patch, index) => (patch.left - line[index]!.right) / height)
  return (
    line.length >= LEAST_IN_CLEAN_LINE &&
    share(line, (patch) => heightOf(patch) >= 0.6 * height && heightOf(patch) <= 1.6 * height) >= 0.85 &&
    share(line, (patch) => widthOf(patch) <= 1.6 * height) >= 0.85 &&
    share(gaps, (gap) => gap > -0.3 && gap <= 0.8) >= 0.85 &&
    share(steps(line), (step) => step <= 0.15) >= 0.75
  )
}

/** How far each patch's foot is from the last one's, in heights. */
const steps = (line: readonly Component[]): number[] =>
  line.slice(1).map((patch, index) => {
    const last = line[index]!
    return Math.abs(patch.bottom - last.bottom) / Math.max(heightOf(patch), heightOf(last))
  })

const share = <T>(of: readonly T[], are: (one: T) => boolean): number =>
  of.length === 0 ? 0 : of.filter(are).length / of.length

const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0

const heightOf = ({ top, bottom }: Component): number => bottom - top
const widthOf = ({ left, right }: Component): number => right - left
