import { usageProjection } from './usage.ts'
import { describeUsageContract } from '@medialog/read-model/testing/usage-contract'
import { openProjected } from './testing/sqlite-projected.ts'
import { usageDefinition } from '@medialog/read-model/sqlite/usage-definition'
import { openUsage } from '@medialog/read-model/sqlite/usage'

describeUsageContract('SQLite', () => openProjected(usageDefinition, usageProjection, openUsage))
