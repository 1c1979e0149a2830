/** What does not hold, for people. */
export class NotProven extends Error {}

/** Amounts are decimal USD. */
export interface ProvenLedger {
  account: string
  log: string
  /** How many events of the log the checkpoint covers. */
  size: number
  events: number
  postings: readonly { revision: number; at: number; kind: string; amount: string; balance: string }[]
  totals: { credited: string; charged: string; refunded: string }
  balance: string
}

/** How many events what was kept covers, a checkpoint or a ledger's proof: what `since` takes. @throws NotProven */
export function sizeKept(kept: string): number

/**
 * What a ledger comes to, once all of it is proven.
 * @param key the verifier key that you trust
 * @param text of a ledger's proof
 * @param kept a checkpoint, or the text of a ledger's proof, from before
 * @throws NotProven
 */
export function checkLedger(key: string, text: string, kept?: string): Promise<ProvenLedger>

/** That a statement (JSON) says what the ledger does of its month. @throws NotProven */
export function checkStatement(key: string, text: string, ledgerText: string): Promise<string>
