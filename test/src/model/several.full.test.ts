import { test } from 'vitest'
import { carriedBy } from '../crashes/on-temporal.ts'
import { describeWithEngine } from '../engines.ts'
import { expectAgreement, LIMIT, SECONDS, SEED } from './agree.ts'

describeWithEngine('temporal', 'on Temporal', (address) => {
  test(
    `two processes agree with the model of the service after random requests at either, for ${SECONDS} s (MEDIALOG_MODEL_SEED=${SEED})`,
    () => expectAgreement({ carrier: carriedBy(address, { shared: true }), processes: 2 }),
    LIMIT,
  )
})
