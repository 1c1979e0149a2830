import type { GreyPicture } from './grey-picture.ts'

/** A connected patch of ink: its box in pixels, and how many of them it covers. */
export interface Component {
  left: number
  top: number
  /** Exclusive, as `bottom`. */
  right: number
  bottom: number
  area: number
}

/** Grey levels by which ink differs from the mean of what is around it. */
const CONTRAST = 24
/** Half the side in pixels of what is "around". */
const AROUND = 12

export type Polarity = 'dark' | 'light'

/** Connected patches (8 neighbours) that are darker, or lighter, than their surroundings. */
export function componentsOf(picture: GreyPicture, polarity: Polarity): Component[] {
  const runs = runsOf(inkOf(picture, polarity), picture.width, picture.height)
  return joined(runs)
}

/** 1 where a pixel is ink. */
function inkOf({ width, height, pixels }: GreyPicture, polarity: Polarity): Uint8Array {
  const ink = new Uint8Array(pixels.length)
  const sums = new Int32Array(width)
  const addRow = (y: number, sign: number): void => {
    for (let x = 0, at = y * width; x < width; x++, at++) sums[x]! += sign * pixels[at]!
  }
  for (let y = 0; y < Math.min(AROUND, height); y++) addRow(y, 1)
  for (let y = 0; y < height; y++) {
    if (y + AROUND < height) addRow(y + AROUND, 1)
    if (y - AROUND - 1 >= 0) addRow(y - AROUND - 1, -1)
    const rows = Math.min(height, y + AROUND + 1) - Math.max(0, y - AROUND)
    let sum = 0
    for (let x = 0; x < Math.min(AROUND, width); x++) sum += sums[x]!
    for (let x = 0, at = y * width; x < width; x++, at++) {
      if (x + AROUND < width) sum += sums[x + AROUND]!
      if (x - AROUND - 1 >= 0) sum -= sums[x - AROUND - 1]!
      const columns = Math.min(width, x + AROUND + 1) - Math.max(0, x - AROUND)
      const difference = pixels[at]! - sum / (rows * columns)
      if (polarity === 'dark' ? difference < -CONTRAST : difference > CONTRAST) ink[at] = 1
    }
  }
  return ink
}

/** Runs of ink in a row, as [row, left, right) one after the other. */
interface Runs {
  places: Int32Array
  count: number
  /** Where each row's runs begin; one more at the end. */
  rows: Int32Array
}

function runsOf(ink: Uint8Array, width: number, height: number): Runs {
  const places = new Int32Array(3 * (Math.ceil(width / 2) * height))
  const rows = new Int32Array(height + 1)
  let count = 0
  for (let y = 0; y < height; y++) {
    rows[y] = count
    for (let x = 0, row = y * width; x < width; x++) {
      if (ink[row + x] === 0) continue
      const left = x
      while (x < width && ink[row + x] === 1) x++
      places.set([y, left, x], 3 * count++)
    }
  }
  rows[height] = count
  return { places, count, rows }
}

function joined({ places, count, rows }: Runs): Component[] {
  const parent = Int32Array.from({ length: count }, (_, index) => index)
  const rootOf = (index: number): number => {
    let at = index
    while (parent[at] !== at) at = parent[at] = parent[parent[at]!]!
    return at
  }
  for (let y = 1; y + 1 < rows.length; y++) {
    let above = rows[y - 1]!
    for (let run = rows[y]!; run < rows[y + 1]!; run++) {
      const [left, right] = [places[3 * run + 1]!, places[3 * run + 2]!]
      while (above < rows[y]! && places[3 * above + 2]! < left) above++
      for (let other = above; other < rows[y]! && places[3 * other + 1]! <= right; other++) {
        const [a, b] = [rootOf(run), rootOf(other)]
        if (a !== b) parent[Math.max(a, b)] = Math.min(a, b)
      }
    }
  }
  const found = new Map<number, Component>()
  for (let run = 0; run < count; run++) {
    const [y, left, right] = [places[3 * run]!, places[3 * run + 1]!, places[3 * run + 2]!]
    const root = rootOf(run)
    const patch = found.get(root)
    if (!patch) found.set(root, { left, top: y, right, bottom: y + 1, area: right - left })
    else {
      patch.left = Math.min(patch.left, left)
      patch.right = Math.max(patch.right, right)
      patch.bottom = y + 1
      patch.area += right - left
    }
  }
  return [...found.values()]
}
