/** An event as the double keeps it. */
export interface Stored {
  id: string
  stream: string
  revision: number
  /** Commit and prepare position in one, as of every write by gRPC: the place of its bytes in the log. */
  position: number
  type: string
  contentType: string
  data: Uint8Array
  metadata: Uint8Array
  /** Ticks of 100 ns since 1970. */
  created: bigint
}

export type Proposed = Pick<Stored, 'id' | 'type' | 'contentType' | 'data' | 'metadata'>

/** -1: the stream must not be there. */
export type Expected = number

export type Decision =
  | { kind: 'recorded'; revision: number; position: number }
  | { kind: 'conflict'; actual: number | null }
  | { kind: 'deleted' }

/** Bytes that count towards the limit of an append, as 25.0 has it; 23.10 counts the data alone. */
export const sizeOf = ({ type, data, metadata }: Proposed): number =>
  2 * type.length + data.length + metadata.length
