/** The package declares its types beside another file of the same build; these are the parts used here. */
declare module 'libheif-js/libheif-wasm/libheif-bundle.mjs' {
  type Opaque = object
  type Failed = { code?: unknown }

  interface Plane {
    width: number
    height: number
    /** Bytes a row. */
    stride: number
    data: Uint8Array
  }

  interface LibHeif {
    heif_error_code: { heif_error_Ok: unknown }
    heif_colorspace: { heif_colorspace_RGB: Opaque }
    heif_chroma: { heif_chroma_interleaved_RGBA: Opaque }
    heif_context_alloc(): Opaque
    heif_context_read_from_memory(context: Opaque, file: Uint8Array): { code: unknown }
    heif_js_context_get_primary_image_handle(context: Opaque): (Opaque & Failed) | undefined
    heif_js_decode_image2(
      handle: Opaque,
      colorspace: Opaque,
      chroma: Opaque,
    ): Promise<{ channels?: Plane[] } | undefined>
  }

  export default function libheif(): LibHeif
}
