/** Asks the process in this container whether it is ready: exit code 0 or 1. The first argument is another path to ask. */
const { PORT, METRICS_PORT } = process.env
const [port = PORT] = process.argv.slice(2).map((which) => (which === 'metrics' ? METRICS_PORT : PORT))
const ready = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(8_000) }).then(
  ({ ok }) => ok,
  () => false,
)
process.exit(ready ? 0 : 1)
