import { workProjection } from './work.ts'
import { describeUnfinishedWorkContract } from '@medialog/read-model/testing/unfinished-work-contract'
import { openProjected } from './testing/sqlite-projected.ts'
import { workDefinition } from '@medialog/read-model/sqlite/work-definition'
import { openUnfinishedWork } from '@medialog/read-model/sqlite/work'

describeUnfinishedWorkContract('SQLite', () =>
  openProjected(workDefinition, workProjection, openUnfinishedWork),
)
