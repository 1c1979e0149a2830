import { describeCoordinationContract } from '@medialog/read-model/testing/coordination-contract'
import { createMemoryCoordination } from './memory-coordination.ts'

describeCoordinationContract('memory', async () => {
  const shared = createMemoryCoordination()
  return { connect: () => shared.connect().coordination, close: async () => undefined }
})
