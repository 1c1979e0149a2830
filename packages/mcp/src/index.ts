export { createMcpServer, type McpOptions } from './server.ts'
export type { Capability } from './tool.ts'
