export { openFsArtifactStore, type FsArtifactStore } from './fs/artifact-store.ts'
export { openFsKeptAnswers } from './fs/kept-answers.ts'
export { openFsStaging } from './fs/staging.ts'
