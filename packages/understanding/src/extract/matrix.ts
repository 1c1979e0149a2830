/** A transformation of points in space: 4 × 4, column by column. */
export type Matrix = readonly number[]

export const IDENTITY: Matrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]

/** What the last one does first: `product(a, b)` moves a point by b, then by a. */
export const product = (...matrices: readonly Matrix[]): Matrix => matrices.reduce(multiply, IDENTITY)

function multiply(a: Matrix, b: Matrix): Matrix {
  if (a === IDENTITY) return b
  if (b === IDENTITY) return a
  return b.map((_, index) => {
    const [column, row] = [index - (index % 4), index % 4]
    return (
      a[row]! * b[column]! +
      a[row + 4]! * b[column + 1]! +
      a[row + 8]! * b[column + 2]! +
      a[row + 12]! * b[column + 3]!
    )
  })
}

export const translation = (x: number, y: number, z: number): Matrix =>
  x === 0 && y === 0 && z === 0 ? IDENTITY : [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1]

export const scaling = (x: number, y: number, z: number): Matrix =>
  x === 1 && y === 1 && z === 1 ? IDENTITY : [x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0, 0, 0, 0, 1]

/** By so many degrees around the axis (x, y, z) of any length (Rodrigues). Right angles are exact. */
export function rotation(x: number, y: number, z: number, degrees: number): Matrix {
  const length = Math.hypot(x, y, z)
  if (degrees === 0 || length === 0) return IDENTITY
  const [u, v, w] = [x / length, y / length, z / length]
  const [c, s] = [cosine(degrees), cosine(degrees - 90)]
  const t = 1 - c
  return [
    t * u * u + c,
    t * u * v + s * w,
    t * u * w - s * v,
    0,
    t * u * v - s * w,
    t * v * v + c,
    t * v * w + s * u,
    0,
    t * u * w + s * v,
    t * v * w - s * u,
    t * w * w + c,
    0,
    0,
    0,
    0,
    1,
  ]
}

const cosine = (degrees: number): number =>
  degrees % 180 === 90 || degrees % 180 === -90 ? 0 : Math.cos((degrees * Math.PI) / 180)

/** From rows, as most files store it. */
export const fromRows = (rows: readonly number[]): Matrix =>
  rows.map((_, index) => rows[(index % 4) * 4 + Math.floor(index / 4)]!)
