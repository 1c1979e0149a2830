import type { WorkChange } from '@medialog/application/ports'
import type { DatabaseSync } from 'node:sqlite'
import { eachOf, type ReadModelDefinition } from './definition.ts'

/** Rows are there only as long as something is unfinished. */
const schema = `
  CREATE TABLE ingest (
    media_id TEXT NOT NULL,
    ingest_id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    job_id TEXT NOT NULL,
    batch_id TEXT,
    at INTEGER NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (media_id, ingest_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE charge (
    account_id TEXT NOT NULL,
    charge_id TEXT NOT NULL,
    -- Nano-USD left after refunds.
    rest INTEGER NOT NULL,
    cause TEXT NOT NULL,
    at INTEGER NOT NULL,
    opened_position INTEGER NOT NULL,
    changed_position INTEGER NOT NULL,
    PRIMARY KEY (account_id, charge_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE request (
    stream TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    request_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    position INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE erasure (
    erasure_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    position INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE batch (
    batch_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    status TEXT NOT NULL,
    position INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE batch_job (
    batch_id TEXT NOT NULL,
    job_id TEXT NOT NULL,
    PRIMARY KEY (batch_id, job_id)
  ) STRICT, WITHOUT ROWID;
`

/** What was begun and has not ended. */
export const workDefinition = {
  name: 'work',
  version: 4,
  schema,
  digestQueries: [
    'SELECT * FROM ingest ORDER BY media_id, ingest_id',
    'SELECT * FROM charge ORDER BY account_id, charge_id',
    'SELECT * FROM request ORDER BY stream',
    'SELECT * FROM erasure ORDER BY erasure_id',
    'SELECT * FROM batch ORDER BY batch_id',
    'SELECT * FROM batch_job ORDER BY batch_id, job_id',
  ],
  prepare: eachOf(prepareChanges),
} as const satisfies ReadModelDefinition<WorkChange>

type Change<Type extends WorkChange['type']> = Extract<WorkChange, { type: Type }>
type Apply = (change: WorkChange, position: number) => void

function prepareChanges(database: DatabaseSync): Apply {
  const ingests = prepareIngests(database)
  const charges = prepareCharges(database)
  const requests = prepareRequests(database)
  const erasures = prepareErasures(database)
  const batches = prepareBatches(database)
  return (change, position) => {
    switch (change.type) {
      case 'OpenIngest':
        return ingests.open(change, position)
      case 'CloseIngest':
        return ingests.close(change)
      case 'OpenCharge':
        return charges.open(change, position)
      case 'RefundCharge':
        return charges.refund(change, position)
      case 'SettleCharge':
        return charges.settle(change)
      case 'OpenRequest':
        return requests.open(change, position)
      case 'CloseRequest':
        return requests.close(change)
      case 'OpenErasure':
        return erasures.open(change, position)
      case 'CloseErasure':
        return erasures.close(change)
      case 'OpenBatch':
        return batches.open(change, position)
      case 'SetBatchStatus':
        return batches.setStatus(change)
      case 'EndJob':
        return batches.endJob(change)
    }
  }
}

function prepareIngests(database: DatabaseSync) {
  const insert = database.prepare('INSERT INTO ingest VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING')
  const remove = database.prepare('DELETE FROM ingest WHERE media_id = ? AND ingest_id = ?')
  return {
    open({ ingest }: Change<'OpenIngest'>, position: number): void {
      const { mediaId, ingestId, accountId, jobId, batchId, at } = ingest
      insert.run(mediaId, ingestId, accountId, jobId, batchId, at, position)
    },
    close: ({ mediaId, ingestId }: Change<'CloseIngest'>): void => void remove.run(mediaId, ingestId),
  }
}

function prepareCharges(database: DatabaseSync) {
  const insert = database.prepare('INSERT INTO charge VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING')
  const refund = database.prepare(`
    UPDATE charge SET rest = rest - :amount, changed_position = :position
    WHERE account_id = :account AND charge_id = :charge AND changed_position < :position`)
  const removeEmpty = database.prepare(
    'DELETE FROM charge WHERE account_id = ? AND charge_id = ? AND rest <= 0',
  )
  const remove = database.prepare('DELETE FROM charge WHERE account_id = ? AND charge_id = ?')
  return {
    open({ charge }: Change<'OpenCharge'>, position: number): void {
      const { accountId, chargeId, rest, cause, at } = charge
      insert.run(accountId, chargeId, rest, JSON.stringify(cause), at, position, position)
    },
    refund({ accountId, chargeId, amount }: Change<'RefundCharge'>, position: number): void {
      refund.run({ amount, position, account: accountId, charge: chargeId })
      removeEmpty.run(accountId, chargeId)
    },
    settle: ({ accountId, chargeId }: Change<'SettleCharge'>): void => void remove.run(accountId, chargeId),
  }
}

function prepareRequests(database: DatabaseSync) {
  const upsert = database.prepare('INSERT OR REPLACE INTO request VALUES (?, ?, ?, ?, ?)')
  const remove = database.prepare('DELETE FROM request WHERE stream = ? AND request_id = ?')
  return {
    open: ({ stream, accountId, requestId, at }: Change<'OpenRequest'>, position: number): void =>
      void upsert.run(stream, accountId, requestId, at, position),
    close: ({ stream, requestId }: Change<'CloseRequest'>): void => void remove.run(stream, requestId),
  }
}

function prepareErasures(database: DatabaseSync) {
  const insert = database.prepare('INSERT INTO erasure VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
  const remove = database.prepare('DELETE FROM erasure WHERE erasure_id = ?')
  return {
    open: ({ erasureId, accountId }: Change<'OpenErasure' | 'CloseErasure'>, position: number): void =>
      void insert.run(erasureId, accountId, position),
    close: ({ erasureId }: Change<'OpenErasure' | 'CloseErasure'>): void => void remove.run(erasureId),
  }
}

/** A batch stays until it was rejected, completed or failed or, cancelled, until its last job has ended. */
function prepareBatches(database: DatabaseSync) {
  const insert = database.prepare("INSERT INTO batch VALUES (?, ?, 'submitted', ?) ON CONFLICT DO NOTHING")
  const insertJob = database.prepare('INSERT INTO batch_job VALUES (?, ?) ON CONFLICT DO NOTHING')
  const setStatus = database.prepare('UPDATE batch SET status = ? WHERE batch_id = ?')
  const removeJob = database.prepare('DELETE FROM batch_job WHERE batch_id = ? AND job_id = ?')
  const removeEnded = database.prepare(`
    DELETE FROM batch WHERE batch_id = ? AND (status IN ('rejected', 'completed', 'failed')
      OR status = 'cancelled' AND NOT EXISTS (SELECT 1 FROM batch_job WHERE batch_id = batch.batch_id))`)
  const removeJobs = database.prepare(
    'DELETE FROM batch_job WHERE batch_id = :id AND NOT EXISTS (SELECT 1 FROM batch WHERE batch_id = :id)',
  )
  const tidy = (batchId: string): void => {
    removeEnded.run(batchId)
    removeJobs.run({ id: batchId })
  }
  return {
    open({ batchId, accountId, jobIds }: Change<'OpenBatch'>, position: number): void {
      insert.run(batchId, accountId, position)
      for (const jobId of jobIds) insertJob.run(batchId, jobId)
    },
    setStatus({ batchId, status }: Change<'SetBatchStatus'>): void {
      setStatus.run(status, batchId)
      tidy(batchId)
    },
    endJob({ batchId, jobId }: Change<'EndJob'>): void {
      removeJob.run(batchId, jobId)
      tidy(batchId)
    },
  }
}
