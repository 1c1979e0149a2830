/** Whether the process in this container is ready, as exit code. With `metrics` it is asked on the port of its metrics. */
const port = process.argv[2] === 'metrics' ? process.env['METRICS_PORT'] : process.env['PORT']
const isReady = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(8_000) }).then(
  ({ ok }) => ok,
  () => false,
)
process.exit(isReady ? 0 : 1)
