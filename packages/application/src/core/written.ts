import type { LogPosition } from '@medialog/kernel'
/** A command's outcome with the position that shows it. */
export type Written<T> = T & { position: LogPosition }
