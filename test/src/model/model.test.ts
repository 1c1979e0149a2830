import { testAgreement } from './agree.ts'

testAgreement('the service agrees with its model after random requests, crashes and months')
