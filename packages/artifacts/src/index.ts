export { openFsArtifactStore, type FsArtifactStore } from './fs/artifact-store.ts'
export { openFsStaging } from './fs/staging.ts'
