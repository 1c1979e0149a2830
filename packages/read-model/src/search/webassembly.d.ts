/** The part of the standard interface that is used here: TypeScript has it only among the types of browsers. */
declare namespace WebAssembly {
  type Module = object
  const Module: new (bytes: Uint8Array) => Module
  function validate(bytes: Uint8Array): boolean
  class Memory {
    constructor(size: { initial: number; maximum: number })
    readonly buffer: ArrayBuffer
    /** Adds pages and answers how many there were. @throws RangeError */
    grow(pages: number): number
  }
  class Instance<Exports> {
    constructor(
      module: Module,
      imports: Record<string, Record<string, Memory | ((...numbers: number[]) => number)>>,
    )
    readonly exports: Exports
  }
}
