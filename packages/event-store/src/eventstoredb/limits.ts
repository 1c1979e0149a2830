/** How long what is waited for, in milliseconds. */
export interface Limits {
  /** For one call to say anything at all, or anything more. */
  callMs: number
  /** For one piece of work over all its attempts; after that the server counts as away. */
  patienceMs: number
  /** After so much silence of a subscription it is looked whether it should have said something. */
  silenceMs: number
  /** Between two probes of an unavailable server. */
  probeMs: number
}

export const LIMITS: Limits = { callMs: 4_000, patienceMs: 8_000, silenceMs: 10_000, probeMs: 1_000 }
