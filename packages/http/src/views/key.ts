import type { KeyRecord } from '@medialog/application'
import { isoTime } from '@medialog/kernel'

/** Without digests: no part of a secret leaves the service. */
export const keyView = (key: KeyRecord, now: number) => ({
  key_id: key.keyId,
  label: key.label,
  capabilities: key.capabilities,
  created_at: isoTime(key.issuedAt),
  expires_at: key.expiresAt === null ? null : isoTime(key.expiresAt),
  old_key_valid_until:
    key.previous && key.previous.validUntil > now ? isoTime(key.previous.validUntil) : null,
  revoked: key.revoked,
})
