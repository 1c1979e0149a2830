import type { Frame, Picture } from './decoder.ts'
import { brightnessOf } from './picture-look.ts'
import { difference, signatureOf, type PictureSignature } from './picture-signature.ts'

export interface Scene {
  /** Seconds: where it was first seen. */
  time: number
  picture: Picture
}

export interface SceneOptions {
  /** At most so many scenes are kept: those that are unlike the others and stand for much of the time. */
  most: number
  /** Pixels of the longer side of their pictures. */
  side: number
  /** Frames come seconds apart, so that what is between two of them is not known. */
  sparse: boolean
}

type Signed = Scene & { signature: PictureSignature }

/** Pixels of the longer side of the copy by which pictures are compared. */
const GLANCE = 96
/** From this difference on it is another scene. */
const CHANGED = 0.3
/** Up to this difference from the frame before, a cross-fade has ended. */
const SETTLED = 0.02
/** Seconds after which a scene is taken even if it does not settle. */
const LONGEST_CHANGE = 1
/** Seconds between two scenes: shorter ones are flashes. */
const SHORTEST_SCENE = 0.5
/** Mean brightness below which a picture shows nothing: films begin and end so. */
const BLACK = 0.03

/**
 * Finds scenes: a frame begins one when it differs from the picture of the last, a cut at once, a cross-fade when it has
 * settled. Black frames are passed over unless there is nothing else.
 */
export class SceneChanges {
  readonly #options: SceneOptions
  readonly #scenes: Signed[] = []
  #shown: PictureSignature | null = null
  #before: PictureSignature | null = null
  #changingSince: number | null = null
  #first: Scene | null = null

  constructor(options: SceneOptions) {
    this.#options = options
  }

  /** Frames in the order of their times. @throws UndecodableMedia */
  add(frame: Frame): void {
    const glance = frame.draw(GLANCE)
    const signature = signatureOf(glance)
    const before = this.#before
    this.#before = signature
    this.#first ??= { time: frame.time, picture: frame.draw(this.#options.side) }
    if (brightnessOf(glance) < BLACK) return
    const change = this.#shown ? difference(signature, this.#shown) : 1
    if (change < CHANGED) this.#changingSince = null
    else if (this.#isSettled(frame.time, signature, before)) this.#take(frame, signature)
  }

  /** In the order of their times. */
  scenes(): Scene[] {
    if (this.#scenes.length > 0) return this.#scenes.map(({ time, picture }) => ({ time, picture }))
    return this.#first ? [this.#first] : []
  }

  #isSettled(time: number, signature: PictureSignature, before: PictureSignature | null): boolean {
    const last = this.#scenes.at(-1)
    if (last && time - last.time < SHORTEST_SCENE) return false
    if (this.#options.sparse || !before) return true
    const step = difference(signature, before)
    if (step >= CHANGED || step <= SETTLED) return true
    this.#changingSince ??= time
    return time - this.#changingSince >= LONGEST_CHANGE
  }

  #take(frame: Frame, signature: PictureSignature): void {
    this.#shown = signature
    this.#changingSince = null
    this.#scenes.push({ time: frame.time, picture: frame.draw(this.#options.side), signature })
    if (this.#scenes.length > this.#options.most) this.#scenes.splice(leastTelling(this.#scenes), 1)
  }
}

/**
 * The index of the scene that is missed least: of each counts how far it is from the one most like it, and the share of
 * the time between its neighbours. Never the first, which is how the video begins.
 */
function leastTelling(scenes: readonly Signed[]): number {
  const end = scenes.at(-1)!.time
  const worths = scenes.slice(1).map((scene, index) => {
    const others = scenes.filter((other) => other !== scene)
    const unlike = Math.min(...others.map(({ signature }) => difference(signature, scene.signature)))
    const [before, after] = [scenes[index]!.time, scenes[index + 2]?.time ?? end]
    return unlike + (after - before) / end
  })
  return 1 + worths.indexOf(Math.min(...worths))
}
