import { z } from 'zod'
import { payment, tool, type Tool } from '../tool.ts'

/** As much as a message may hold: larger files go over HTTP, or by their path where the server runs beside them. */
const MOST_BASE64 = 4_000_000

const placement = {
  collection_id: z.string().min(1).max(64).optional().describe('Where to put it: `default` unless given.'),
  overwrite: z
    .boolean()
    .default(false)
    .describe('Process it again where the same content is stored already.'),
}
const named = {
  filename: z.string().min(1).max(255).describe('With the extension of its format, such as notes.md.'),
  text: z.string().optional().describe('The content of a text file.'),
  base64: z.base64().max(MOST_BASE64).optional().describe('The content of any other file.'),
}

/** @param hasFiles whether paths are those of the machine that the agent's user sits at */
export function upload(hasFiles: boolean): Tool {
  const path = z.string().min(1).optional().describe('Of a file on this machine, instead of its content.')
  return tool({
    name: 'upload',
    title: 'Store a file',
    description:
      'Reads a document, picture, video, sound or 3D model, keeps what can be known of it, and drops the file. Costs 0.04 USD; a refusal costs nothing.',
    needs: 'write',
    paid: true,
    input: z
      .object({
        ...named,
        filename: hasFiles ? named.filename.optional() : named.filename,
        ...(hasFiles && { path }),
        ...placement,
        ...payment,
      })
      .refine(
        (input) =>
          [input.text, input.base64, 'path' in input ? input.path : undefined].filter(
            (given) => given !== undefined,
          ).length === 1,
        { error: `must have exactly one of text, base64${hasFiles ? ' and path' : ''}` },
      )
      .refine((input) => input.filename !== undefined || 'path' in input, { error: 'needs a filename' }),
    async call(
      client,
      { filename, text, base64, path, collection_id, overwrite },
      { signal, onProgress, paying },
    ) {
      const file =
        typeof path === 'string'
          ? path
          : {
              name: filename ?? '',
              content: text === undefined ? Buffer.from(base64!, 'base64') : Buffer.from(text),
            }
      const { data: stored, replayed: repeated } = await client.call(
        'uploadMedia',
        { file, collection_id, force_overwrite: overwrite },
        {
          signal,
          ...paying,
          onProgress: ({ sent, total }) =>
            onProgress({
              progress: sent,
              ...(total !== null && { total }),
              message: 'The file is being sent.',
            }),
        },
      )
      const {
        media_id,
        media_type,
        content_summary: summary,
        storage_info: place,
        balance_info: bill,
      } = stored
      return {
        cost: bill.cost,
        repeated,
        data: {
          media_id,
          media_type,
          collection: place.collection,
          summary: summary.summary,
          topics: summary.topics,
          balance_usd: bill.new_balance,
        },
        quotes: true,
      }
    },
  })
}

export const deleteItems = tool({
  name: 'delete_items',
  title: 'Delete items for good',
  description:
    'Erases items by their exact ids: their text and vectors are in no file afterwards, and they cannot be restored. Answers with the receipt of the erasure. Free.',
  needs: 'delete',
  destructive: true,
  idempotent: true,
  input: z.object({
    media_ids: z.array(z.string().min(1).max(200)).min(1).max(100),
    reason: z.string().max(1000).optional().describe('Kept with the deletion.'),
  }),
  async call(client, { media_ids, reason }, { signal }) {
    const { deleted, failed, erasure } = await client.deleteMediaBatch(
      { media_ids, reason, receipt: true },
      { signal },
    )
    return {
      cost: 0,
      data: { deleted: deleted.media_ids, failed: failed.reasons, ...(erasure && { erasure }) },
    }
  },
})
