export const KINDS = ['people', 'organizations', 'locations'] as const
export type Kind = (typeof KINDS)[number]

/** How much speaks for each kind; below 0 where something speaks against it. */
export type Evidence = Readonly<Record<Kind, number>>
/** What one clue is worth. */
export type Weights = Partial<Evidence>

export const sum = (all: readonly Weights[]): Evidence => {
  const total = { people: 0, organizations: 0, locations: 0 }
  for (const weights of all) for (const kind of KINDS) total[kind] += weights[kind] ?? 0
  return total
}

const each = (evidence: Evidence, change: (value: number) => number): Evidence => ({
  people: change(evidence.people),
  organizations: change(evidence.organizations),
  locations: change(evidence.locations),
})
export const scaled = (evidence: Evidence, times: number): Evidence =>
  each(evidence, (value) => times * value)
export const capped = (evidence: Evidence, most: number): Evidence =>
  each(evidence, (value) => Math.max(-most, Math.min(most, value)))

/** Below it too little speaks for any kind. Chosen with the texts of `test/benchmarks/entities` that are not held out. */
const LEAST = 1.25

/** The kind that most speaks for; null where it is too little. */
export function decided(evidence: Evidence): Kind | null {
  const best = KINDS.reduce((a, b) => (evidence[b] > evidence[a] ? b : a))
  return evidence[best] >= LEAST ? best : null
}
