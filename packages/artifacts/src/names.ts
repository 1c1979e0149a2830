import type { IngestRef } from '@medialog/application/ports'
import { UUID_PATTERN, type Uuid } from '@medialog/kernel'

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

/** The id itself where it is one: nothing else ever becomes part of a path. @throws RangeError */
export function checkedId(id: Uuid): Uuid {
  if (!UUID_PATTERN.test(id)) throw new RangeError(`not an id: ${JSON.stringify(id)}`)
  return id
}

/** @throws RangeError */
export function checkedName(name: string): string {
  if (!NAME.test(name)) throw new RangeError(`not an artifact's name: ${JSON.stringify(name)}`)
  return name
}

/** `<account>/<media>/<ingest>`. @throws RangeError */
export const pathOf = ({ accountId, mediaId, ingestId }: IngestRef): string =>
  [accountId, mediaId, ingestId].map(checkedId).join('/')
