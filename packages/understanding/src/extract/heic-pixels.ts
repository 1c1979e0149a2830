import libheif from 'libheif-js/libheif-wasm/libheif-bundle.mjs'
import { damagedPixels } from './image-header.ts'
import type { PixelAt } from './image-sample.ts'

/** The main picture of a HEIF file, as shown. @throws UnreadableFile `corrupted` */
export async function decodeHevc(
  bytes: Uint8Array,
): Promise<{ width: number; height: number; pixelAt: PixelAt }> {
  const heif = libheif()
  const context = heif.heif_context_alloc()
  if (heif.heif_context_read_from_memory(context, bytes).code !== heif.heif_error_code.heif_error_Ok)
    throw damagedPixels()
  const handle = heif.heif_js_context_get_primary_image_handle(context)
  if (!handle || handle.code) throw damagedPixels()
  const image = await heif.heif_js_decode_image2(
    handle,
    heif.heif_colorspace.heif_colorspace_RGB,
    heif.heif_chroma.heif_chroma_interleaved_RGBA,
  )
  const plane = image?.channels?.[0]
  if (!plane) throw damagedPixels()
  const { width, height, stride, data } = plane
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  return { width, height, pixelAt: (x, y) => view.getUint32(y * stride + 4 * x) }
}
