import { carriedBy } from '../crashes/on-temporal.ts'
import { describeWithEngine } from '../engines.ts'
import { testAgreement } from './agree.ts'

describeWithEngine('temporal', 'on Temporal', (address) => {
  testAgreement(
    'two processes agree with the model of the service after random requests at either',
    carriedBy(address, 2),
  )
})
