import { damagedModel } from './model-facts.ts'
import { NumberWords } from './number-words.ts'
import type { PlyHeader, PlyType } from './ply-header.ts'

const LONGEST_LIST = 20_000_000

/** The values behind the header, one after the other. @throws UnreadableFile `corrupted` where they end too early */
export abstract class PlyValues {
  abstract read(type: PlyType): number

  list(countType: PlyType, type: PlyType): number[] {
    const list: number[] = []
    const count = this.read(countType)
    if (count > LONGEST_LIST) throw damagedModel('a list is longer than any that is read')
    while (list.length < count) list.push(this.read(type))
    return list
  }
}

export function plyValues(bytes: Uint8Array, { encoding, end }: PlyHeader): PlyValues {
  if (encoding === 'ascii') return new TextValues(Buffer.from(bytes.subarray(end)).toString('latin1'))
  const view = new DataView(bytes.buffer, bytes.byteOffset + end, bytes.byteLength - end)
  return new BinaryValues(view, encoding === 'binary_little_endian')
}

class TextValues extends PlyValues {
  readonly #words: NumberWords

  constructor(text: string) {
    super()
    this.#words = new NumberWords(text)
  }

  read(): number {
    return this.#words.number()
  }
}

const SIZES: Record<PlyType, number> = {
  int8: 1,
  uint8: 1,
  int16: 2,
  uint16: 2,
  int32: 4,
  uint32: 4,
  float32: 4,
  float64: 8,
}

class BinaryValues extends PlyValues {
  readonly #view: DataView
  readonly #little: boolean
  #at = 0

  constructor(view: DataView, little: boolean) {
    super()
    this.#view = view
    this.#little = little
  }

  read(type: PlyType): number {
    const at = this.#at
    this.#at += SIZES[type]
    if (this.#at > this.#view.byteLength) throw damagedModel('it ends in the middle')
    switch (type) {
      case 'int8':
        return this.#view.getInt8(at)
      case 'uint8':
        return this.#view.getUint8(at)
      case 'int16':
        return this.#view.getInt16(at, this.#little)
      case 'uint16':
        return this.#view.getUint16(at, this.#little)
      case 'int32':
        return this.#view.getInt32(at, this.#little)
      case 'uint32':
        return this.#view.getUint32(at, this.#little)
      case 'float32':
        return this.#view.getFloat32(at, this.#little)
      case 'float64':
        return this.#view.getFloat64(at, this.#little)
    }
  }
}
