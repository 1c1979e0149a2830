import { z } from 'zod'
import { instant, uuid } from './common.ts'

const names = z.array(z.object({ jobId: uuid, filename: z.string() }))

export const filesEvents = {
  FilesNamed: z.object({ accountId: uuid, names, at: instant }),
  FileNamesErased: z.object({ accountId: uuid, names, at: instant }),
}
