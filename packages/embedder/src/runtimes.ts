/** Which ONNX Runtime computes: the native one, or WebAssembly where that does not load. */
export const RUNTIMES = ['onnxruntime-node', 'onnxruntime-web'] as const
export type Runtime = (typeof RUNTIMES)[number]
