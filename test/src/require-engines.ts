import { requireEngines } from './engines.ts'

/** Before any test runs. */
export default requireEngines
