import { randomUUID } from 'node:crypto'
import type { Client } from '@elastic/elasticsearch'
import { ReadModelBroken, WriterReplaced, type StoreName } from '@medialog/application/ports'
import type { LogPosition } from '@medialog/kernel'
import { isConflict, statusOf } from './connection.ts'

/** Up to where the log was applied, and by whom: the writer that wrote it last is the one that may go on. */
export interface CheckpointDocument {
  kind: 'checkpoint'
  checkpoint: LogPosition
  /** Of the event at that position, where there is one. */
  hash: string | null
  writer: string
  /** Whether removed content may still be in the files. */
  unwiped: boolean
}

/** By which the engine detects that a document changed since it was read. */
interface Revision {
  if_seq_no: number
  if_primary_term: number
}

const CHECKPOINT = 'checkpoint'
/** Where it is in every index. */
export const checkpointPlace = { _id: CHECKPOINT, routing: CHECKPOINT }

/** An index of a read model. */
export interface IndexOf {
  readModel: StoreName
  index: string
}

/** Where that index, or the one that an alias names, stands. @throws an error of the client */
export async function readCheckpoint(
  client: Client,
  index: string,
): Promise<{ position: LogPosition; hash: string | null }> {
  const { _source } = await client.get<CheckpointDocument>({ index, id: CHECKPOINT, routing: CHECKPOINT })
  return { position: _source!.checkpoint, hash: _source!.hash }
}

/**
 * The checkpoint of one index in the hands of one writer. A later writer takes it over, and the former one,
 * stalled or cut off, finds that out before its next write and cannot move it any more.
 */
export class Checkpoint {
  position: LogPosition
  /** Whether removed content was still in the files when it was opened. */
  readonly unwiped: boolean
  readonly #client: Client
  readonly #of: IndexOf
  readonly #writer: string
  #revision: Revision

  private constructor(
    client: Client,
    of: IndexOf,
    { checkpoint, writer, unwiped }: CheckpointDocument,
    revision: Revision,
  ) {
    this.#client = client
    this.#of = of
    this.position = checkpoint
    this.#writer = writer
    this.unwiped = unwiped
    this.#revision = revision
  }

  /** In a new index. */
  static async create(client: Client, of: IndexOf): Promise<Checkpoint> {
    const document: CheckpointDocument = {
      kind: 'checkpoint',
      checkpoint: 0,
      hash: null,
      writer: randomUUID(),
      unwiped: false,
    }
    const { _seq_no, _primary_term } = await client.index({
      index: of.index,
      id: CHECKPOINT,
      routing: CHECKPOINT,
      document,
    })
    return new Checkpoint(client, of, document, { if_seq_no: _seq_no!, if_primary_term: _primary_term! })
  }

  /** Takes it from its writer. @throws ReadModelBroken where the index has none */
  static async takeOver(client: Client, of: IndexOf): Promise<Checkpoint> {
    const found = await find(client, of.index)
    if (!found) throw new ReadModelBroken(of.readModel, new Error(`the index ${of.index} has no checkpoint`))
    const taken = new Checkpoint(client, of, { ...found.document, writer: randomUUID() }, found.revision)
    const { checkpoint, hash, unwiped } = found.document
    await taken.#save(checkpoint, hash, unwiped)
    return taken
  }

  /**
   * Makes sure that it is still here and this writer's, and learns where it stands.
   * @throws ReadModelBroken where the index is gone or another, WriterReplaced where another writer has it
   */
  async check(): Promise<void> {
    const found = await find(this.#client, this.#of.index)
    if (!found) throw this.#isGone()
    this.#adopt(found)
    if (found.document.checkpoint < this.position)
      throw new ReadModelBroken(
        this.#of.readModel,
        new Error(
          `the index ${this.#of.index} is at position ${found.document.checkpoint} and was at ${this.position}`,
        ),
      )
    // A move whose answer was lost.
    this.position = found.document.checkpoint
  }

  async moveTo(position: LogPosition, hash: string | null, unwiped: boolean): Promise<void> {
    await this.#save(position, hash, unwiped)
    this.position = position
  }

  async #save(checkpoint: LogPosition, hash: string | null, unwiped: boolean): Promise<void> {
    const document: CheckpointDocument = {
      kind: 'checkpoint',
      checkpoint,
      hash,
      writer: this.#writer,
      unwiped,
    }
    for (;;)
      try {
        const { _seq_no, _primary_term } = await this.#client.index({
          index: this.#of.index,
          id: CHECKPOINT,
          routing: CHECKPOINT,
          ...this.#revision,
          document,
        })
        this.#revision = { if_seq_no: _seq_no!, if_primary_term: _primary_term! }
        return
      } catch (error) {
        if (!isConflict(error)) throw error
        // It may have been written by a request whose answer was lost, or that came late.
        const found = await find(this.#client, this.#of.index)
        if (!found) throw this.#isGone()
        this.#adopt(found)
        if (found.document.checkpoint === checkpoint) return
      }
  }

  #isGone = (): ReadModelBroken =>
    new ReadModelBroken(this.#of.readModel, new Error(`the index ${this.#of.index} is gone`))

  /** @throws WriterReplaced where it is another writer's */
  #adopt({ document, revision }: NonNullable<Awaited<ReturnType<typeof find>>>): void {
    if (document.writer !== this.#writer)
      throw new WriterReplaced(this.#of.readModel, `Another process writes to the index ${this.#of.index}.`)
    this.#revision = revision
  }
}

async function find(client: Client, index: string) {
  try {
    const { _source, _seq_no, _primary_term } = await client.get<CheckpointDocument>({
      index,
      id: CHECKPOINT,
      routing: CHECKPOINT,
    })
    const revision = { if_seq_no: _seq_no!, if_primary_term: _primary_term! }
    return { document: _source!, revision }
  } catch (error) {
    if (statusOf(error) === 404) return null
    throw error
  }
}
