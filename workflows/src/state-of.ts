import type { StateOf, Streams } from '@medialog/application'
import type { Category } from '@medialog/domain'
import type { Uuid } from '@medialog/kernel'

/** What the stream says. Where no other process writes it, what this one knows of it is all there is, and the log is not asked. */
export async function stateOf<C extends Category, T>(
  streams: Pick<Streams, 'load' | 'peek'>,
  isShared: boolean,
  category: C,
  id: Uuid,
  select: (state: StateOf<C>) => T,
): Promise<T> {
  const known = isShared ? undefined : streams.peek(category, id, select)
  return known ?? (await streams.load(category, id, select)).selected
}
