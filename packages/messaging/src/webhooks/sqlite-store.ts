import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import {
  EngineUnavailable,
  type Delivery,
  type DeliveryAttempt,
  type DeliveryQuery,
  type EndedDelivery,
  type SentEvent,
  type WebhookChange,
  type WebhookProgress,
  type WebhookStore,
} from '@medialog/application/ports'
import { explain, type LogPosition, type StreamName, type Uuid } from '@medialog/kernel'

/** "MLwh": no other database is taken for this one. */
const APPLICATION_ID = 0x4d4c_7768

const TABLES = `
  CREATE TABLE progress (position INTEGER NOT NULL) STRICT;
  INSERT INTO progress VALUES (0);
  CREATE TABLE webhooks (
    webhook TEXT PRIMARY KEY,
    account TEXT NOT NULL,
    cursor INTEGER NOT NULL,
    arrived_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE deliveries (
    webhook TEXT NOT NULL,
    event TEXT NOT NULL,
    position INTEGER NOT NULL,
    stream TEXT NOT NULL,
    type TEXT NOT NULL,
    state TEXT NOT NULL,
    since INTEGER NOT NULL,
    tries INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    attempts TEXT NOT NULL,
    PRIMARY KEY (webhook, event)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX pending ON deliveries (webhook, position) WHERE state = 'pending';
  CREATE INDEX changed ON deliveries (webhook, changed_at);
  CREATE INDEX ended ON deliveries (state, changed_at) WHERE state <> 'pending';
`

/** A death of the process loses nothing, a loss of power at most what came last: it is sent again then. */
const PRAGMAS =
  'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY; PRAGMA secure_delete = ON;'

/** A delivery that had ended is to be sent again; one that waits is left as it is. */
const ENQUEUE = `
  INSERT INTO deliveries VALUES (?1, ?2, ?3, ?4, ?5, 'pending', ?6, 0, ?6, ?6, '[]')
  ON CONFLICT DO UPDATE SET state = 'pending', since = excluded.since, tries = 0, due_at = excluded.due_at,
    changed_at = excluded.changed_at
  WHERE state <> 'pending'
`
const AGAIN = `UPDATE deliveries SET state = 'pending', since = ?1, tries = 0, due_at = ?1, changed_at = ?1`

/** Opens the file of the deliveries, or makes it. @throws EngineUnavailable where it is something else */
export function openSqliteWebhookStore(path: string): WebhookStore {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const database = new DatabaseSync(path, { timeout: 5_000 })
  try {
    database.exec(PRAGMAS)
    const pragma = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get()!)[0]
    if (pragma('schema_version') === 0)
      database.exec(`BEGIN IMMEDIATE; ${TABLES} PRAGMA application_id = ${APPLICATION_ID}; COMMIT`)
    else if (pragma('application_id') !== APPLICATION_ID)
      throw new Error('it is a database of something else')
    return new SqliteWebhookStore(database)
  } catch (error) {
    database.close()
    throw unavailable(`${path}: ${explain(error)}`)
  }
}

class SqliteWebhookStore implements WebhookStore {
  readonly #database: DatabaseSync
  readonly #prepared = new Map<string, ReturnType<DatabaseSync['prepare']>>()

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  async position(): Promise<LogPosition> {
    return this.#all('SELECT position FROM progress')[0]!.position as number
  }

  async apply(changes: readonly WebhookChange[], position: LogPosition): Promise<void> {
    this.#transact(() => {
      for (const change of changes) this.#apply(change)
      this.#run('UPDATE progress SET position = ?', position)
    })
  }

  #apply(change: WebhookChange): void {
    const { webhookId } = change
    switch (change.type) {
      case 'Add':
        this.#run(
          'INSERT OR IGNORE INTO webhooks VALUES (?, ?, ?, NULL)',
          webhookId,
          change.accountId,
          change.cursor,
        )
        break
      case 'Remove':
        this.#run('DELETE FROM webhooks WHERE webhook = ?', webhookId)
        this.#run('DELETE FROM deliveries WHERE webhook = ?', webhookId)
        break
      case 'Rewind':
        this.#run('UPDATE webhooks SET cursor = ? WHERE webhook = ?', change.cursor, webhookId)
        this.#run(
          `DELETE FROM deliveries WHERE webhook = ? AND state = 'pending' AND position > ? AND type <> 'WebhookTested'`,
          webhookId,
          change.cursor,
        )
        break
      case 'Deliver':
        this.#enqueue(webhookId, change.event, change.at)
        break
      case 'Resend':
        this.#run(`${AGAIN} WHERE webhook = ?2 AND event = ?3`, change.at, webhookId, change.eventId)
        break
      case 'Resume':
        this.#run(`${AGAIN} WHERE webhook = ?2 AND state = 'pending'`, change.at, webhookId)
        break
    }
  }

  async webhooks(): Promise<WebhookProgress[]> {
    return this.#all('SELECT * FROM webhooks').map(progressOf)
  }

  async webhook(webhookId: Uuid): Promise<WebhookProgress | null> {
    const [row] = this.#all('SELECT * FROM webhooks WHERE webhook = ?', webhookId)
    return row ? progressOf(row) : null
  }

  async enqueue(
    webhookId: Uuid,
    events: readonly SentEvent[],
    { cursor, at }: { cursor: LogPosition; at: number },
  ): Promise<void> {
    this.#transact(() => {
      // One that was removed meanwhile gets nothing.
      const { changes } = this.#run('UPDATE webhooks SET cursor = ? WHERE webhook = ?', cursor, webhookId)
      if (changes > 0) for (const event of events) this.#enqueue(webhookId, event, at)
    })
  }

  #enqueue(webhookId: Uuid, { eventId, position, stream, eventType }: SentEvent, at: number): void {
    this.#run(ENQUEUE, webhookId, eventId, position, stream, eventType, at)
  }

  async pending(webhookId: Uuid): Promise<Delivery[]> {
    return this.#all(
      `SELECT * FROM deliveries WHERE webhook = ? AND state = 'pending' ORDER BY position`,
      webhookId,
    ).map(deliveryOf)
  }

  async record(webhookId: Uuid, delivery: Delivery): Promise<void> {
    const { eventId, state, since, tries, dueAt, changedAt, attempts } = delivery
    this.#transact(() => {
      this.#run(
        `UPDATE deliveries SET state = ?, since = ?, tries = ?, due_at = ?, changed_at = ?, attempts = ?
          WHERE webhook = ? AND event = ?`,
        state,
        since,
        tries,
        dueAt,
        changedAt,
        JSON.stringify(attempts),
        webhookId,
        eventId,
      )
      if (state === 'delivered')
        this.#run('UPDATE webhooks SET arrived_at = ? WHERE webhook = ?', changedAt, webhookId)
    })
  }

  async delivery(webhookId: Uuid, eventId: Uuid): Promise<Delivery | null> {
    const [row] = this.#all('SELECT * FROM deliveries WHERE webhook = ? AND event = ?', webhookId, eventId)
    return row ? deliveryOf(row) : null
  }

  async deliveries(
    webhookId: Uuid,
    { state, offset, limit }: DeliveryQuery,
  ): Promise<{ deliveries: Delivery[]; total: number }> {
    const where = `FROM deliveries WHERE webhook = ?${state === undefined ? '' : ' AND state = ?'}`
    const values = state === undefined ? [webhookId] : [webhookId, state]
    const [{ total } = {}] = this.#all(`SELECT count(*) AS total ${where}`, ...values)
    const rows = this.#all(
      `SELECT * ${where} ORDER BY changed_at DESC, position DESC LIMIT ? OFFSET ?`,
      ...values,
      limit,
      offset,
    )
    return { deliveries: rows.map(deliveryOf), total: total as number }
  }

  async counts(): Promise<{ pending: number; dead: number }> {
    // Each from an index of its own: what was delivered may be much.
    const [row] = this.#all(`
      SELECT
        (SELECT count(*) FROM deliveries WHERE state = 'pending') AS pending,
        (SELECT count(*) FROM deliveries WHERE state <> 'pending' AND state = 'dead') AS dead
    `)
    return { pending: row!.pending as number, dead: row!.dead as number }
  }

  async sweep(states: readonly EndedDelivery[], before: number): Promise<void> {
    this.#transact(() => {
      for (const state of states)
        this.#run(
          `DELETE FROM deliveries WHERE state <> 'pending' AND state = ? AND changed_at < ?`,
          state,
          before,
        )
    })
  }

  async close(): Promise<void> {
    if (this.#database.isOpen) this.#database.close()
  }

  #statement(sql: string): ReturnType<DatabaseSync['prepare']> {
    const known = this.#prepared.get(sql) ?? this.#database.prepare(sql)
    this.#prepared.set(sql, known)
    return known
  }

  #run(sql: string, ...values: SQLInputValue[]): { changes: number | bigint } {
    return this.#statement(sql).run(...values)
  }

  #all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#attempt(() => this.#statement(sql).all(...values))
  }

  #transact(work: () => void): void {
    this.#attempt(() => {
      this.#database.exec('BEGIN IMMEDIATE')
      try {
        work()
        this.#database.exec('COMMIT')
      } catch (error) {
        // Some errors (a full disk) have rolled back by themselves.
        if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
        throw error
      }
    })
  }

  /** @throws EngineUnavailable */
  #attempt<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw unavailable(explain(error))
    }
  }
}

type Row = { [column: string]: unknown }

const progressOf = ({ webhook, account, cursor, arrived_at: arrivedAt }: Row): WebhookProgress => ({
  webhookId: webhook as Uuid,
  accountId: account as Uuid,
  cursor: cursor as number,
  arrivedAt: arrivedAt as number | null,
})

const deliveryOf = (row: Row): Delivery => ({
  eventId: row.event as Uuid,
  position: row.position as number,
  stream: row.stream as StreamName,
  eventType: row.type as string,
  state: row.state as Delivery['state'],
  since: row.since as number,
  tries: row.tries as number,
  dueAt: row.due_at as number,
  changedAt: row.changed_at as number,
  attempts: JSON.parse(row.attempts as string) as DeliveryAttempt[],
})

const unavailable = (why: string) => new EngineUnavailable('webhooks', why)
