import { UnreadableFile } from '@medialog/application/ports/understanding'

const MOST_CORNERS = 20_000_000

/** Nodes may show one mesh again and again: more corners than this are not drawn up. */
export class CornerBudget {
  #left = MOST_CORNERS

  /** @throws UnreadableFile `too-large` */
  spend(corners: number): void {
    this.#left -= corners
    if (this.#left < 0) throw new UnreadableFile('too-large', 'The model has more corners than can be read.')
  }
}
