import type { DataOf } from '@medialog/client'
import { counted } from '@medialog/kernel'
import { z } from 'zod'
import { collectionName, erasure, mediaIds, mediaType } from '../fields.ts'
import { fileBelow } from '../files.ts'
import { payment, tool, type Tool } from '../tool.ts'
import { clipped, facts } from '../wording.ts'

/** As much as a message may hold: larger files go over HTTP, or by their path where the server runs beside them. */
const MOST_CHARACTERS = 4_000_000
/** Tells an agent that an upload is still being read, so that its program does not give up. */
const STILL_READ_MS = 2_000

/** Base64 as programs write it: in lines, of the URL's alphabet, without padding. */
const base64 = z
  .string()
  .max(MOST_CHARACTERS)
  .transform((text, check) => {
    const plain = text.replace(/\s+/g, '').replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/')
    if (/^[A-Za-z0-9+/]*$/.test(plain) && plain.length % 4 !== 1) return Buffer.from(plain, 'base64')
    check.addIssue({ code: 'custom', message: 'must be base64', input: text })
    return z.NEVER
  })

/** @param hasFiles whether paths are those of the machine that the agent's user sits at */
export function upload(hasFiles: boolean): Tool {
  const ways = ['text', 'base64', ...(hasFiles ? ['path'] : [])]
  const filename = z.string().min(1).max(255).describe('With the extension of its format, such as notes.md.')
  const given = {
    filename: hasFiles
      ? filename
          .optional()
          .describe('With the extension of its format, such as notes.md; of a path its own unless given.')
      : filename,
    text: z.string().max(MOST_CHARACTERS).optional().describe('The content of a text file.'),
    base64: base64.optional().describe('The content of any other file.'),
    ...(hasFiles && {
      path: z
        .string()
        .min(1)
        .max(4_096)
        .optional()
        .describe('Of a file on this machine, instead of its content: below a folder that you were given.'),
    }),
  }
  return tool({
    name: 'upload',
    title: 'Store a file',
    description: (costs) =>
      `Reads a document, picture, video, sound or 3D model, keeps what can be known of it, and drops the file. ${costs}; a refusal costs nothing.`,
    needs: 'write',
    paid: true,
    input: z
      .strictObject({
        ...given,
        collection: collectionName
          .optional()
          .describe('Where to put it: `default` unless given. It is made when it is not there.'),
        overwrite: z
          .boolean()
          .default(false)
          .describe('Process it again where the same content is stored already.'),
        ...payment,
      })
      .refine((input) => ways.filter((way) => way in input).length === 1, {
        error: `must have exactly one of ${ways.join(', ')}`,
      })
      .refine((input) => input.filename !== undefined || 'path' in input, {
        path: ['filename'],
        error: 'is required',
      }),
    output: z.strictObject({
      media_id: z.string(),
      media_type: mediaType,
      filename: z.string(),
      collection: z.string(),
      summary: z.string(),
      topics: z.array(z.string()),
      warnings: z
        .array(z.string())
        .optional()
        .describe('What of the file was not read; absent where all of it was.'),
      balance_usd: z.number(),
    }),
    async call(client, { filename: name, text, base64: bytes, collection, overwrite, ...rest }, calling) {
      const { signal, onProgress, paying, folders } = calling
      const path = 'path' in rest && typeof rest.path === 'string' ? rest.path : null
      const file =
        path === null
          ? { name: name!, content: bytes ?? Buffer.from(text!) }
          : await fileBelow(folders, path, name)
      let progress = 0
      const still = setInterval(
        () => onProgress({ progress: (progress += 1), message: 'The file is being read.' }),
        STILL_READ_MS,
      )
      try {
        const { data: stored, replayed: repeated } = await client.call(
          'uploadMedia',
          { file, collection_id: collection, force_overwrite: overwrite },
          {
            signal,
            ...paying,
            cancelOnDisconnect: true,
            onProgress: ({ sent, total }) => {
              progress = Math.max(progress, sent)
              onProgress({
                progress,
                message: sent === total ? 'The file is being read.' : 'The file is being sent.',
              })
            },
          },
        )
        return uploaded(stored, repeated)
      } finally {
        clearInterval(still)
        // A refusal may come before the file is read.
        if ('destroy' in file.content) file.content.destroy()
      }
    },
  })
}

function uploaded(stored: DataOf<'uploadMedia'>, repeated: boolean) {
  const { media_id, media_type, content_summary: about, file_details: file, storage_info: place } = stored
  const { warnings } = stored.processing
  const { cost, new_balance } = stored.balance_info
  const data = {
    media_id,
    media_type,
    filename: file.filename,
    collection: place.collection,
    summary: clipped(about.summary || about.description, 150),
    topics: about.topics.slice(0, 5),
    ...(warnings.length > 0 && { warnings: [...warnings] }),
    balance_usd: new_balance,
  }
  const [first, ...others] = warnings
  const text = [
    `Stored ${facts(clipped(data.filename, 40), media_id, `in ${clipped(data.collection, 40)}`)}`,
    data.summary,
    first &&
      `Not all was read: ${clipped(first, 100)}${others.length > 0 ? ` (and ${others.length} more)` : ''}`,
    `Balance: ${new_balance} USD.`,
  ]
  return { cost, repeated, data, text: text.filter(Boolean).join('\n'), quotes: true as const }
}

export const moveItems = tool({
  name: 'move_items',
  title: 'Move items into a collection',
  description:
    'Moves items into a collection, all of them or none. The collection is made when it is not there. Free.',
  needs: 'write',
  idempotent: true,
  input: z.strictObject({
    media_ids: mediaIds,
    collection: collectionName.describe('Where to put them.'),
  }),
  output: z.strictObject({
    collection: z.string(),
    moved: z.int(),
    already_there: z.int(),
  }),
  async call(client, { media_ids, collection }, { signal }) {
    const { summary } = await client.moveItems({ collection_id: collection, items: media_ids }, { signal })
    const { moved, already_in_collection: there } = summary
    return {
      cost: 0,
      data: { collection, moved, already_there: there },
      text: `Moved ${counted(moved, 'item')} into ${collection}; ${there} already there.`,
    }
  },
})

const erasureOf = (begun: DataOf<'deleteCollection'>['erasure']) =>
  begun && { erasure: { erasure_id: begun.erasure_id, status: begun.status } }
const erasureText = (begun: DataOf<'deleteCollection'>['erasure']): string[] =>
  begun
    ? [
        begun.status === 'erased'
          ? `The bytes are erased. Receipt: medialog://erasures/${begun.erasure_id}`
          : `The bytes are erased within seconds. Receipt, then: medialog://erasures/${begun.erasure_id}`,
      ]
    : []

export const deleteItems = tool({
  name: 'delete_items',
  title: 'Delete items for good',
  description:
    'Erases items by their exact ids: their text and vectors are in no file afterwards, and they cannot be restored. Answers with the id of the erasure’s receipt. Free.',
  needs: 'delete',
  destructive: true,
  idempotent: true,
  input: z.strictObject({
    media_ids: mediaIds,
    reason: z.string().min(1).max(1_000).optional().describe('Kept with the deletion.'),
  }),
  output: z.strictObject({
    deleted: z.array(z.string()),
    failed: z.record(z.string(), z.string()).describe('By id, why it was not deleted.'),
    erasure,
  }),
  async call(client, { media_ids, reason }, { signal }) {
    const answer = await client.deleteMediaBatch({ media_ids, reason, receipt: true }, { signal })
    const deleted = [...answer.deleted.media_ids]
    const failed = { ...answer.failed.reasons }
    const text = [
      deleted.length > 0
        ? `Deleted ${counted(deleted.length, 'item')}: ${deleted.join(', ')}`
        : 'Nothing was deleted.',
      ...Object.entries(failed).map(([id, why]) => `Not deleted: ${clipped(id, 50)}: ${clipped(why, 80)}`),
      ...erasureText(answer.erasure),
    ].join('\n')
    return {
      cost: 0,
      data: { deleted, failed, ...erasureOf(answer.erasure) },
      text,
      ...(deleted.length === 0 && { failed: true as const }),
    }
  },
})

export const deleteCollection = tool({
  name: 'delete_collection',
  title: 'Delete a collection with all its items for good',
  description:
    'Erases a collection and every item in it; they cannot be restored. Answers with the id of the erasure’s receipt. Free.',
  needs: 'delete',
  destructive: true,
  idempotent: true,
  input: z.strictObject({ collection: collectionName.describe('The collection that goes.') }),
  output: z.strictObject({ collection: z.string(), deleted_items: z.int(), erasure }),
  async call(client, { collection }, { signal }) {
    const answer = await client.deleteCollection({ collection_id: collection, receipt: true }, { signal })
    const text = [
      `Deleted the collection ${collection} with ${counted(answer.deleted_items, 'item')}.`,
      ...erasureText(answer.erasure),
    ].join('\n')
    return {
      cost: 0,
      data: { collection, deleted_items: answer.deleted_items, ...erasureOf(answer.erasure) },
      text,
    }
  },
})
