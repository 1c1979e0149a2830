import { InvalidNote, openNote, parseVerifierKey, type NoteKey } from '@medialog/contract/signed-note'
import type { LogCheckpoint } from '@medialog/domain'
import { counted, type Clock } from '@medialog/kernel'
import type { EventStore, LogLeaves, LogVerifier } from '../ports/index.ts'
import { parseCheckpoint } from './checkpoint.ts'
import { LogComparison, type Comparison } from './compare.ts'
import { Findings, NOWHERE, type Finding } from './findings.ts'
import { GrowingBlocks } from './growing-blocks.ts'
import type { PublicKeys } from './handover.ts'
import { recordedCheckpoints } from './recorded-checkpoints.ts'

export interface VerifyPorts {
  eventStore: Pick<EventStore, 'read' | 'head'>
  logVerifier: Pick<LogVerifier, 'examine'>
  leaves: LogLeaves
  keys: () => Promise<PublicKeys>
  clock: Clock
}

export interface AuditReport extends Comparison {
  /** Leaves of the tree, and their root in hex. */
  size: number
  root: string
  /** Signed checkpoints that the log agrees with, the one that was brought included. */
  checkpoints: number
  /** How many there are; the first hundred are listed. */
  found: number
  findings: Finding[]
  seconds: number
}

interface Signed {
  size: number
  root: string
  /** For people. */
  name: string
}

type OnProgress = (done: { events: number; size: number }) => void

/**
 * Holds the whole log against the tree over all events, and that against every checkpoint that was signed: those that the
 * log keeps, and one that was exported. The proof covers what was there when it began.
 * @throws InvalidNote for an exported checkpoint that no trusted key of this log has signed
 */
export async function verifyLog(
  ports: VerifyPorts,
  exported: string | null,
  onProgress: OnProgress,
): Promise<AuditReport> {
  const { eventStore, logVerifier, leaves, clock } = ports
  const started = clock.now()
  const findings = new Findings()
  const signed = await signedCheckpoints(ports, exported, findings)
  const size = await leaves.size()
  const roots = new Roots(signed, findings)
  const comparison = new LogComparison({ leaves, log: eventStore }, size, findings, (leaf) => roots.add(leaf))
  let events = 0
  for await (const page of logVerifier.examine()) {
    await comparison.compare(page)
    events += page.length
    onProgress({ events, size })
  }
  await comparison.end()
  const checkpoints = roots.end()
  return {
    ...comparison.counts,
    size,
    root: roots.root,
    checkpoints,
    found: findings.count,
    findings: findings.listed,
    seconds: Math.max(0, clock.now() - started) / 1_000,
  }
}

/** Smallest first. */
async function signedCheckpoints(
  { eventStore, keys }: VerifyPorts,
  exported: string | null,
  findings: Findings,
): Promise<Signed[]> {
  const signed: Signed[] = []
  let trusted: NoteKey[] | null = null
  const trustedKeys = async (): Promise<NoteKey[]> => {
    const { current, former } = await keys()
    return [current, ...former].map(parseVerifierKey)
  }
  if (exported !== null) {
    trusted = await trustedKeys()
    const { size, root } = parseCheckpoint(openNote(exported, trusted).text)
    signed.push({ size, root: root.toString('hex'), name: 'the exported checkpoint' })
  }
  for await (const { place, ...record } of recordedCheckpoints(eventStore)) {
    const { event } = record
    if (event === null) findings.add('changed', place, `a checkpoint cannot be read: ${record.fault}`)
    else if (event.type === 'LogCheckpointed') {
      trusted ??= await trustedKeys()
      try {
        const { size, root } = parseCheckpoint(openNote(event.note, trusted).text)
        signed.push({
          size,
          root: root.toString('hex'),
          name: `the checkpoint of revision ${place.revision}`,
        })
      } catch (error) {
        if (!(error instanceof InvalidNote)) throw error
        if (isSignedBy(event)) findings.add('inserted', place, OF_NO_TRUSTED_KEY)
        else findings.add('changed', place, error.message)
      }
    }
  }
  return signed.sort((a, b) => a.size - b.size)
}

const OF_NO_TRUSTED_KEY =
  'it is signed by a key that no trusted key followed; one that this log was signed with before is named by MEDIALOG_FORMER_CHECKPOINT_KEY'

/** By the key that it names itself, whether that is trusted or not. */
function isSignedBy({ note, key }: LogCheckpoint): boolean {
  try {
    openNote(note, [parseVerifierKey(key)])
    return true
  } catch (error) {
    if (error instanceof InvalidNote) return false
    throw error
  }
}

/** The tree as it grows, held against what was signed of it at each size. */
class Roots {
  readonly #tree = new GrowingBlocks()
  readonly #signed: readonly Signed[]
  readonly #findings: Findings
  #next = 0
  #good = 0
  /** Leaves under the largest checkpoint that agrees. */
  #proven = 0

  constructor(signed: readonly Signed[], findings: Findings) {
    this.#signed = signed
    this.#findings = findings
    this.#check()
  }

  add(leaf: Parameters<GrowingBlocks['add']>[0]): void {
    this.#tree.add(leaf)
    this.#check()
  }

  get root(): string {
    return this.#tree.root().toString('hex')
  }

  /** How many checkpoints agree. */
  end(): number {
    const { size } = this.#tree
    for (const signed of this.#signed.slice(this.#next))
      this.#findings.add(
        'cut',
        NOWHERE,
        `${signed.name} was signed over ${counted(signed.size, 'event')}, and the log's tree has ${size}: its end was cut off, the tree's with it`,
      )
    return this.#good
  }

  #check(): void {
    for (; this.#signed[this.#next]?.size === this.#tree.size; this.#next++) {
      const { root, size, name } = this.#signed[this.#next]!
      if (root === this.root) {
        this.#good++
        this.#proven = size
      } else
        this.#findings.add(
          'rewritten',
          NOWHERE,
          `what ${name} was signed over, ${counted(size, 'event')}, is not what the log and its tree hold now: they differ behind the first ${this.#proven}`,
        )
    }
  }
}
