import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

/** What `media-decoder/decoder.c` exports; see there for what the numbers mean. */
export interface DecoderExports {
  memory: WebAssembly.Memory
  _initialize: () => void
  open_file: (size: number) => number
  open_stream: (kind: number) => number
  rewind_stream: () => number
  next_picture: (keysOnly: number, from: number) => number
  time_of_frame: () => number
  width_of_frame: () => number
  height_of_frame: () => number
  draw: (side: number) => number
  picture_data: () => number
  width_of_picture: () => number
  height_of_picture: () => number
  reserve: (bytes: number) => number
  release: (block: number) => void
  compress: (rgb: number, width: number, height: number) => number
  jpeg_data: () => number
  next_sound: () => number
  sound_data: () => number
  samples_of_sound: () => number
  rate_of_sound: () => number
  channels_of_sound: () => number
  weight_of_channel: (channel: number) => number
}

const WASM = new URL('../../media-decoder/decoder.wasm', import.meta.url)

const WITHOUT = 'videos are not looked at for scenes, and the loudness of sound is not measured'

let compiled: WebAssembly.Module | undefined

/** The decoder is not installed, or what is there is none. */
export class DecoderMissing extends Error {
  constructor(cause: unknown) {
    super('the media decoder is not installed', { cause })
    this.name = 'DecoderMissing'
  }
}

/** Compiled once a process. @throws DecoderMissing */
function decoderModule(): WebAssembly.Module {
  try {
    return (compiled ??= new WebAssembly.Module(readFileSync(WASM)))
  } catch (cause) {
    throw new DecoderMissing(cause)
  }
}

/** Null where the decoder is there and whole, else what is wrong with it. */
export async function decoderTrouble(): Promise<string | null> {
  try {
    return WebAssembly.validate(await readFile(WASM)) ? null : `the media decoder is damaged: ${WITHOUT}`
  } catch {
    return `the media decoder is not installed: ${WITHOUT}`
  }
}

/** A decoder of its own for one file: what a hostile one does to its memory ends with it. @throws DecoderMissing */
export function instantiate(bytes: Uint8Array): DecoderExports {
  const file = new HostFile(bytes)
  const instance: { exports: DecoderExports } = new WebAssembly.Instance<DecoderExports>(decoderModule(), {
    host: {
      read: (to = 0, offset = 0, length = 0) => file.read(instance.exports.memory, to, offset, length),
    },
    wasi_snapshot_preview1: systemCalls(() => instance.exports.memory),
  })
  instance.exports._initialize()
  return instance.exports
}

/** A file is read about twice; one that is read on and on leads its reader in circles. */
const MOST_READINGS = 6
const ALWAYS_READABLE = 16 << 20

class HostFile {
  readonly #bytes: Uint8Array
  #left: number

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#left = bytes.length * MOST_READINGS + ALWAYS_READABLE
  }

  /** How many bytes were copied; 0 at the end. */
  read(memory: WebAssembly.Memory, to: number, offset: number, length: number): number {
    if (this.#left <= 0) return 0
    const piece = this.#bytes.subarray(offset, offset + length)
    new Uint8Array(memory.buffer).set(piece, to)
    this.#left -= piece.length
    return piece.length
  }
}

/** WASI errno for what is not there to be asked. */
const NOT_SUPPORTED = 58
const NO_DESCRIPTOR = 8

/** The C library asks for an environment, a clock and files. It has none of them, and the time is always the same. */
function systemCalls(memory: () => WebAssembly.Memory): Record<string, (...args: number[]) => number> {
  const refused = (errno: number) => (): number => errno
  const nothing = (...places: number[]): number => {
    const view = new DataView(memory().buffer)
    for (const place of places) view.setUint32(place, 0, true)
    return 0
  }
  return {
    environ_sizes_get: (count = 0, size = 0) => nothing(count, size),
    environ_get: () => 0,
    clock_time_get: (_clock, _precision, time = 0) => nothing(time, time + 4),
    proc_exit: (code) => {
      throw new Error(`the media decoder ended itself (${code})`)
    },
    poll_oneoff: refused(NOT_SUPPORTED),
    path_open: refused(NOT_SUPPORTED),
    fd_prestat_get: refused(NO_DESCRIPTOR),
    fd_prestat_dir_name: refused(NO_DESCRIPTOR),
    fd_fdstat_get: refused(NO_DESCRIPTOR),
    fd_fdstat_set_flags: refused(NO_DESCRIPTOR),
    fd_close: refused(NO_DESCRIPTOR),
    fd_read: refused(NO_DESCRIPTOR),
    fd_seek: refused(NO_DESCRIPTOR),
    fd_write: refused(NO_DESCRIPTOR),
  }
}
