import { createHash } from 'node:crypto'
import type { ArtifactReceipt } from '@medialog/application/ports'

export const receiptOf = (bytes: Uint8Array): ArtifactReceipt => ({
  sha256: createHash('sha256').update(bytes).digest('hex'),
  size: bytes.byteLength,
})
