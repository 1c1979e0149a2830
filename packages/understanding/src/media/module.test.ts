import { expect, test } from 'vitest'
import { decoderTrouble, instantiate } from './module.ts'

test('the decoder is installed, and whole', async () => {
  expect(await decoderTrouble()).toBeNull()
})

test('a file that is read on and on comes to an end', () => {
  const decoder = instantiate(new Uint8Array(1000).fill(0x47))
  expect(decoder.open_file(1000)).toBeLessThan(0)
})
