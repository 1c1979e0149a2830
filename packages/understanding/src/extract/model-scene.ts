import { UnreadableFile, type ModelFacts } from '@medialog/application/ports/understanding'
import { CornerBudget } from './corner-budget.ts'
import type { Matrix } from './matrix.ts'
import { damagedModel, modelFacts, type MaterialColor } from './model-facts.ts'
import { UniquePositions } from './unique-positions.ts'

const DEEPEST = 200
const MOST_NODES = 1_000_000

/** Corners one after the other, x, y, z each, and how many triangles they make. */
export interface Mesh {
  points: ArrayLike<number>
  triangles: number
}

/** Meshes as they are placed, again and again where they are, with the materials and the parts that show them. */
export class ModelScene {
  readonly #positions = new UniquePositions()
  readonly #budget = new CornerBudget()
  readonly #materials = new Map<string, { name: string; color?: MaterialColor | undefined }>()
  readonly #parts: string[] = []
  #triangles = 0
  #nodes = 0

  place({ points, triangles }: Mesh, matrix: Matrix): void {
    this.#budget.spend(points.length / 3)
    for (let at = 0; at + 2 < points.length; at += 3)
      this.#positions.addPlaced(matrix, points[at]!, points[at + 1]!, points[at + 2]!)
    this.#triangles += triangles
  }

  /**
   * To be said of each node that is visited: files may nest and repeat them without end.
   * @throws UnreadableFile
   */
  visit(depth: number): void {
    if (++this.#nodes > MOST_NODES)
      throw new UnreadableFile('too-large', 'The model shows more parts than can be read.')
    if (depth > DEEPEST) throw damagedModel('its parts hold themselves')
  }

  /** A material in use, with its colour where it states one; `id` tells those of one name apart. */
  use(id: string, name: string, color?: MaterialColor): void {
    this.#materials.set(id, { name, color })
  }

  part(name: string): void {
    this.#parts.push(name)
  }

  /** @throws UnreadableFile `corrupted` */
  facts(): ModelFacts {
    return modelFacts(this.#positions, {
      triangles: this.#triangles,
      materials: [...this.#materials.values()].map(({ name }) => name),
      colors: [...this.#materials.values()].flatMap(({ color }) => (color ? [color] : [])),
      parts: this.#parts,
    })
  }
}
