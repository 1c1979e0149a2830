/** Descriptors of listening sockets that the service manager keeps while the service restarts; null: it opens its own. */
export interface HeldSockets {
  http: number | null
  admin: number | null
}

/** The first descriptor that is passed: sd_listen_fds(3). */
const FIRST = 3

/**
 * Those that systemd passes to this process, by their `FileDescriptorName=`; one without a name of ours is where requests
 * come. What is passed to another process is ignored.
 */
export function heldSocketsIn(
  environment: Readonly<Record<string, string | undefined>>,
  pid = process.pid,
): HeldSockets {
  const { LISTEN_PID: whose, LISTEN_FDS: count = '0', LISTEN_FDNAMES: names = '' } = environment
  const held: HeldSockets = { http: null, admin: null }
  if (whose !== String(pid)) return held
  const named = names.split(':')
  for (let at = 0; at < Number(count); at++) {
    const name = named[at] === 'admin' ? 'admin' : 'http'
    held[name] ??= FIRST + at
  }
  return held
}
