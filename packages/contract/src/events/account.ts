import { CAPABILITIES, TIERS } from '@medialog/domain'
import { z } from 'zod'
import { instant, sha256, uuid } from './common.ts'

const tier = z.enum(TIERS)

export const accountEvents = {
  AccountOpened: z.object({ accountId: uuid, name: z.string(), tier, at: instant }),
  TierChanged: z.object({ tier }),
  AccountSuspended: z.object({}),
  AccountReinstated: z.object({}),
  AccountClosed: z.object({}),
  AccountErased: z.object({ tier, openedAt: instant }),
  ApiKeyIssued: z.object({
    keyId: z.string(),
    label: z.string(),
    digest: sha256,
    capabilities: z.array(z.enum(CAPABILITIES)),
    expiresAt: instant.nullable(),
    at: instant,
  }),
  ApiKeyRotated: z.object({ keyId: z.string(), digest: sha256, oldValidUntil: instant }),
  ApiKeyRevoked: z.object({ keyId: z.string() }),
}
