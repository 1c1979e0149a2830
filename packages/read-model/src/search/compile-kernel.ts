import { readFileSync, writeFileSync } from 'node:fs'
import wabt from 'wabt'

/** The bytes of kernel.wasm, from its source. Only tests and `node compile-kernel.ts`, after a change, need this. */
export async function compileKernel(): Promise<Uint8Array> {
  const tools = await wabt()
  const source = readFileSync(new URL('kernel.wat', import.meta.url), 'utf8')
  return tools.parseWat('kernel.wat', source, { simd: true, relaxed_simd: true }).toBinary({}).buffer
}

if (import.meta.main) writeFileSync(new URL('kernel.wasm', import.meta.url), await compileKernel())
