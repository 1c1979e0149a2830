import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import net from 'node:net'

/**
 * A port of 127.0.0.1 that is free now. It lies below the range from which the system picks ports for programs that name
 * none: an engine that starts at the same time would get one of those before this one is listened on.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    const server = net.createServer()
    const listening = once(server.listen(port, '127.0.0.1'), 'listening')
    const isFree = await listening.then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
