import { defineConfig } from 'vite'

/** `npm run dev --workspace=packages/console`: the pages as one edits them, over a service that runs already. */
const SERVICE = process.env['MEDIALOG_URL'] ?? 'http://127.0.0.1:8080'

export default defineConfig({
  base: '/console/',
  build: {
    target: 'es2023',
    // The policy of the pages refuses `data:` scripts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // Else what views share would come in fifty files. What only one view draws with comes with that view.
      output: {
        codeSplitting: {
          groups: [
            {
              name: 'base',
              test: /node_modules\/(?!uplot|d3-)|packages\/client\/|src\/(data|session|texts|style)\/|src\/parts\/(?!chart|code|confirm|form-end|key-line|paid-|pager|secret|table-head)/,
            },
          ],
        },
      },
      onLog(level, log, report) {
        // Modules say where they would run if the pages were made on a server.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log)
      },
    },
  },
  server: {
    host: '127.0.0.1',
    proxy: Object.fromEntries(
      ['/v1', '/admin', '/healthz', '/metrics', '/checkpoint-key'].map((path) => [path, SERVICE]),
    ),
  },
})
