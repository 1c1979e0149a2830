/** Counts itself at 0; `holds`: until 1 is written at 1. */
export interface CountedTask {
  counts: Int32Array
  holds: boolean
}

/** Runs in a thread. */
export default function count({ counts, holds }: CountedTask): void {
  Atomics.add(counts, 0, 1)
  if (holds) Atomics.wait(counts, 1, 0)
}
