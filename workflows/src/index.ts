export { startEraser, type EraserPorts } from './eraser.ts'
export { createInProcessOrchestrator, type RunnerOptions } from './runner.ts'
export type { IngestPorts, RecoveryPorts } from './ports.ts'
