/** Which ONNX Runtime computes: the native one, or WebAssembly where that does not load. */
export const RUNTIMES = ['onnxruntime-node', 'onnxruntime-web'] as const
export type Runtime = (typeof RUNTIMES)[number]

/**
 * Else the native runtime tells Microsoft about this machine and its models. It reads the process's own environment, which a
 * thread's `process.env` is a copy of: so whoever starts a thread that loads it calls this outside.
 */
export function keepQuiet(): void {
  process.env['ORT_DISABLE_TELEMETRY'] = '1'
}
