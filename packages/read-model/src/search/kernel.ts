import { readFileSync } from 'node:fs'

/** What kernel.wat exports; addresses are those of the memory it was made over. */
export interface Kernel {
  distances(table: number, signatures: number, groups: number, size: number, out: number): void
  dots(query: number, addresses: number, count: number, size: number, out: number): void
  highest(values: number, ends: number, items: number, out: number): void
  lowest(values: number, ends: number, selected: number, items: number, out: number, counts: number): void
  within(values: number, first: number, end: number, most: number, out: number): number
  addScores(postings: number, count: number, weight: number, norms: number, sums: number): void
  tally(values: number, count: number, counts: number): number
  reaching(values: number, count: number, least: number, out: number): number
}

export const PAGE = 65_536

const compiled = new WebAssembly.Module(readFileSync(new URL('kernel.wasm', import.meta.url)))

export const kernelOver = (memory: InstanceType<typeof WebAssembly.Memory>): Kernel =>
  new WebAssembly.Instance<Kernel>(compiled, { search: { memory } }).exports
