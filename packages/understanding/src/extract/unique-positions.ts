/** Counts positions that differ, by open addressing over the 32-bit floats themselves: 16 bytes a position. */
export class UniquePositions {
  count = 0
  #mask = 1023
  #slots = new Int32Array(this.#mask + 1)
  #floats = new Float32Array(3 * 512)
  #bits = new Int32Array(this.#floats.buffer)
  readonly min = [Infinity, Infinity, Infinity]
  readonly max = [-Infinity, -Infinity, -Infinity]

  /** Adding 0 makes -0 the same corner as 0. */
  add(x: number, y: number, z: number): void {
    if (3 * this.count + 3 > this.#floats.length) this.#grow()
    const at = 3 * this.count
    this.#floats[at] = x + 0
    this.#floats[at + 1] = y + 0
    this.#floats[at + 2] = z + 0
    this.#widen(x, y, z)
    if (this.#insert(at)) this.count++
  }

  /** Adds a position as `matrix` places it: 4 × 4, column by column. */
  addPlaced(matrix: ArrayLike<number>, x: number, y: number, z: number): void {
    const row = (of: number): number =>
      matrix[of]! * x + matrix[of + 4]! * y + matrix[of + 8]! * z + matrix[of + 12]!
    this.add(row(0), row(1), row(2))
  }

  /** Size of the box around all positions. */
  get dimensions(): { x: number; y: number; z: number } {
    const [x = 0, y = 0, z = 0] = this.max.map((most, axis) => most - this.min[axis]!)
    return { x, y, z }
  }

  #widen(x: number, y: number, z: number): void {
    for (const [axis, value] of [x, y, z].entries()) {
      this.min[axis] = Math.min(this.min[axis]!, value)
      this.max[axis] = Math.max(this.max[axis]!, value)
    }
  }

  #insert(at: number): boolean {
    const bits = this.#bits
    const [x = 0, y = 0, z = 0] = [bits[at], bits[at + 1], bits[at + 2]]
    let hash = Math.imul(x, 0x9e3779b1) ^ Math.imul(y, 0x85ebca77) ^ Math.imul(z, 0xc2b2ae3d)
    hash ^= hash >>> 15
    for (let slot = hash & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const other = this.#slots[slot]! - 3
      if (other < 0) {
        this.#slots[slot] = at + 3
        return true
      }
      if (bits[other] === x && bits[other + 1] === y && bits[other + 2] === z) return false
    }
  }

  #grow(): void {
    const floats = new Float32Array(this.#floats.length * 2)
    floats.set(this.#floats)
    this.#floats = floats
    this.#bits = new Int32Array(floats.buffer)
    this.#mask = this.#mask * 2 + 1
    this.#slots = new Int32Array(this.#mask + 1)
    for (let index = 0; index < this.count; index++) this.#insert(3 * index)
  }
}
