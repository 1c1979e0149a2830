import { test } from 'vitest'
import { files, type FilesEvent } from './files.ts'
import { given } from './testing/given-when-then.ts'

const [ACCOUNT, ONE, TWO] = ['a', 'one', 'two'] as const
const names = [
  { jobId: ONE, filename: 'one.txt' },
  { jobId: TWO, filename: 'two.txt' },
]
const named: FilesEvent = { type: 'FilesNamed', accountId: ACCOUNT, names, at: 1 }
const erased = (left: typeof names): FilesEvent => ({
  type: 'FileNamesErased',
  accountId: ACCOUNT,
  names: left,
  at: 2,
})

test('files are named once', () => {
  given(files).when({ type: 'NameFiles', accountId: ACCOUNT, names, at: 1 }).then(named)
  given(files, named).when({ type: 'NameFiles', accountId: ACCOUNT, names: [], at: 2 }).thenNothing()
  given(files, erased([])).when({ type: 'NameFiles', accountId: ACCOUNT, names, at: 3 }).thenNothing()
})

test('names are erased by their jobs, once, and the event has those that stay', () => {
  const erase = { type: 'EraseFileNames', accountId: ACCOUNT, at: 2 } as const
  for (const jobIds of [[ONE], null])
    given(files)
      .when({ ...erase, jobIds })
      .thenNothing()
  given(files, named)
    .when({ ...erase, jobIds: [ONE, 'unknown'] })
    .then(erased([names[1]!]))
  given(files, named, erased([names[1]!]))
    .when({ ...erase, jobIds: [ONE] })
    .thenNothing()
  given(files, named)
    .when({ ...erase, jobIds: null })
    .then(erased([]))
  given(files, erased([]))
    .when({ ...erase, jobIds: null })
    .thenNothing()
})
