import { test } from 'vitest'
import { expectAgreement, LIMIT, SECONDS, SEED } from './agree.ts'

test(
  `the service agrees with its model after random requests, crashes and months, for ${SECONDS} s (MEDIALOG_MODEL_SEED=${SEED})`,
  () => expectAgreement(),
  LIMIT,
)
