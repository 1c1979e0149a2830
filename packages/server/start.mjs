import '../kernel/require-node.mjs'

await import('./src/main.ts')
