import type { BatchesChange } from '@medialog/application/ports'
import type { DatabaseSync } from 'node:sqlite'
import { eachOf, type ReadModelDefinition } from './definition.ts'

const schema = `
  CREATE TABLE batch (
    batch_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    name TEXT,
    collection TEXT,
    overwrite INTEGER NOT NULL,
    -- 'submitted' is shown to nobody.
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    ended_at INTEGER,
    -- Nano-USD.
    charged INTEGER NOT NULL,
    refunded INTEGER NOT NULL,
    -- Of the last posting that was counted.
    posted_position INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX batch_newest ON batch (account_id, created_at DESC, batch_id DESC);

  CREATE TABLE job (
    batch_id TEXT NOT NULL,
    -- Place among the files of the batch.
    number INTEGER NOT NULL,
    job_id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    media_id TEXT NOT NULL,
    media_type TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    status TEXT NOT NULL,
    error_code TEXT,
    error_message TEXT,
    ended_at INTEGER,
    -- Milliseconds that its file was worked on, as the process that did measured them.
    took_ms INTEGER,
    PRIMARY KEY (batch_id, number)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX job_id ON job (batch_id, job_id);
  CREATE INDEX job_item ON job (account_id, media_id);
  CREATE INDEX job_succeeded ON job (account_id, ended_at) WHERE status = 'succeeded';
  CREATE INDEX job_open ON job (account_id, batch_id) WHERE ended_at IS NULL;
`

/** Batches, their jobs and what they cost. */
export const batchesDefinition = {
  name: 'batches',
  version: 3,
  schema,
  digestQueries: ['SELECT * FROM batch ORDER BY batch_id', 'SELECT * FROM job ORDER BY batch_id, number'],
  prepare: eachOf(prepareChanges),
} as const satisfies ReadModelDefinition<BatchesChange>

type Change<Type extends BatchesChange['type']> = Extract<BatchesChange, { type: Type }>

function prepareChanges(database: DatabaseSync): (change: BatchesChange, position: number) => void {
  const batches = prepareBatches(database)
  const jobs = prepareJobs(database)
  const postings = preparePostings(database)
  return (change, position) => {
    switch (change.type) {
      case 'PutIntent':
        batches.put(change)
        return jobs.put(change)
      case 'RemoveBatch':
        batches.remove(change)
        return jobs.remove(change)
      case 'SetStatus':
        return batches.setStatus(change)
      case 'StartJob':
        return jobs.start(change)
      case 'EndJob':
        batches.outlast(change)
        return jobs.end(change)
      case 'Charge':
      case 'Refund':
        return postings.count(change, position)
    }
  }
}

function prepareBatches(database: DatabaseSync) {
  const insert = database.prepare(`
    INSERT INTO batch VALUES (?, ?, ?, ?, ?, 'submitted', ?, NULL, NULL, 0, 0, 0) ON CONFLICT DO NOTHING`)
  const remove = database.prepare('DELETE FROM batch WHERE batch_id = ?')
  const create = database.prepare("UPDATE batch SET status = 'created' WHERE batch_id = ?")
  const start = database.prepare('UPDATE batch SET status = ?, started_at = ? WHERE batch_id = ?')
  const end = database.prepare(`
    UPDATE batch SET status = ?,
      ended_at = max(?, coalesce((SELECT max(ended_at) FROM job WHERE job.batch_id = batch.batch_id), 0))
    WHERE batch_id = ?`)
  const outlast = database.prepare('UPDATE batch SET ended_at = max(ended_at, ?) WHERE batch_id = ?')
  return {
    put({ intent: { batchId, accountId, name, collection, overwrite, at } }: Change<'PutIntent'>): void {
      insert.run(batchId, accountId, name, collection, Number(overwrite), at)
    },
    remove: ({ batchId }: Change<'RemoveBatch'>): void => void remove.run(batchId),
    setStatus({ batchId, status, at }: Change<'SetStatus'>): void {
      if (status === 'created') create.run(batchId)
      else (status === 'running' ? start : end).run(status, at, batchId)
    },
    /** A cancelled batch has ended when the last of its jobs has; one that has not ended stays so. */
    outlast: ({ batchId, at }: Change<'EndJob'>): void => void outlast.run(at, batchId),
  }
}

function prepareJobs(database: DatabaseSync) {
  const insert = database.prepare(`
    INSERT INTO job VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL, ?, NULL) ON CONFLICT DO NOTHING`)
  const remove = database.prepare('DELETE FROM job WHERE batch_id = ?')
  const start = database.prepare(`
    UPDATE job SET status = 'processing'
    WHERE batch_id = ? AND job_id = ? AND status = 'pending'`)
  const end = database.prepare(`
    UPDATE job SET status = ?, error_code = ?, error_message = ?, ended_at = ?, took_ms = ? WHERE batch_id = ? AND job_id = ?`)
  return {
    put({ intent: { batchId, accountId, jobs, at } }: Change<'PutIntent'>): void {
      for (const [number, { jobId, mediaId, mediaType, sizeBytes, duplicate }] of jobs.entries()) {
        const [status, endedAt] = duplicate ? (['skipped', at] as const) : (['pending', null] as const)
        insert.run(batchId, number, jobId, accountId, mediaId, mediaType, sizeBytes, status, endedAt)
      }
    },
    remove: ({ batchId }: Change<'RemoveBatch'>): void => void remove.run(batchId),
    start: ({ batchId, jobId }: Change<'StartJob'>): void => void start.run(batchId, jobId),
    end({ batchId, jobId, status, error, tookMs, at }: Change<'EndJob'>): void {
      end.run(status, error?.code ?? null, error?.message ?? null, at, tookMs, batchId, jobId)
    },
  }
}

/** A batch's charge has the batch's id. */
function preparePostings(database: DatabaseSync) {
  const count = (column: 'charged' | 'refunded') =>
    database.prepare(`
      UPDATE batch SET ${column} = ${column} + :amount, posted_position = :position
      WHERE batch_id = :charge AND posted_position < :position`)
  const statements = { Charge: count('charged'), Refund: count('refunded') }
  return {
    count: ({ type, chargeId, amount }: Change<'Charge' | 'Refund'>, position: number): void =>
      void statements[type].run({ amount, position, charge: chargeId }),
  }
}
