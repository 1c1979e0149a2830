import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { ExtractorPool } from '../pool/pool.ts'
import { sourceFile } from './fixtures.ts'

// Starts a pool on one file, prints its children's process ids and waits to be killed. A short deadline keeps the
// children's CPU limit short; the kill comes before it.
const [entry = '', path = ''] = process.argv.slice(2)
const pool = new ExtractorPool({ entry: new URL(entry), deadlineMs: 900 })
const work = pool.extract(sourceFile(path, readFileSync(path))).catch(() => {})
await sleep(400)
console.log(JSON.stringify(pool.pids))
await work
await sleep(60_000)
