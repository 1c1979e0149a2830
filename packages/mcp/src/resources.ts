import { Refused, type Client } from '@medialog/client'
import { counted } from '@medialog/kernel'
import { ProtocolError, ResourceTemplate, type McpServer } from '@modelcontextprotocol/server'
import { collectionsAfter, itemsOf } from './tools/reading.ts'
import { wholeAt } from './wording.ts'

/** Characters of an item's text that one read answers with: with the address of the rest they are at most 100 000. */
const LONGEST_READ = 99_000
const ITEMS_A_READ = 100

type Reading = { mcpReq: { signal: AbortSignal } }

/** Items, collections and receipts, for agents that attach what their user picks. */
export function registerResources(server: McpServer, client: Client): void {
  const readText = async (uri: URL, id: string, offset: number, { mcpReq: { signal } }: Reading) => {
    const item = await found(uri, () => client.readMedia({ media_id: id, include_chunks: true }, { signal }))
    const whole = item.content?.text ?? ''
    const end = wholeAt(whole, offset + LONGEST_READ)
    const rest = `medialog://items/${id}/text/${end}`
    const contents = [
      { uri: uri.href, mimeType: 'text/plain', text: whole.slice(offset, end) },
      ...(end < whole.length
        ? [
            {
              uri: rest,
              mimeType: 'text/plain',
              text: `[The text goes on at ${rest}: ${whole.length} characters in all.]`,
            },
          ]
        : []),
    ]
    return { contents }
  }
  server.registerResource(
    'item',
    new ResourceTemplate('medialog://items/{id}', { list: undefined }),
    {
      title: 'A stored item',
      description: 'Its text, as it was read from the file: the first 99 000 characters.',
      mimeType: 'text/plain',
    },
    (uri, { id }, reading) => readText(uri, String(id), 0, reading),
  )
  server.registerResource(
    'item-text',
    new ResourceTemplate('medialog://items/{id}/text/{offset}', { list: undefined }),
    {
      title: 'The rest of an item’s text',
      description: 'From that character on, 99 000 at most.',
      mimeType: 'text/plain',
    },
    (uri, { id, offset }, reading) => {
      if (!/^\d{1,9}$/.test(String(offset))) throw notThere(uri)
      return readText(uri, String(id), Number(offset), reading)
    },
  )
  const readCollection = async (uri: URL, name: string, after: string | undefined, { mcpReq }: Reading) => {
    const { signal } = mcpReq
    const { items, pagination } = await found(uri, () =>
      itemsOf(client, { collection: name, page_size: ITEMS_A_READ, after }, signal),
    )
    const listed = {
      items: items.map((item) => ({
        uri: `medialog://items/${item.media_id}`,
        media_type: item.media_type,
        ...('file_info' in item && item.file_info && { filename: item.file_info.filename }),
      })),
      ...(pagination.next !== undefined && {
        next: `medialog://collections/${encodeURIComponent(name)}/after/${pagination.next}`,
      }),
    }
    return { contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify(listed) }] }
  }
  server.registerResource(
    'collection',
    new ResourceTemplate('medialog://collections/{name}', { list: undefined }),
    {
      title: 'A collection',
      description: 'Its newest items, with the addresses of each, and of the next hundred.',
      mimeType: 'application/json',
    },
    (uri, { name }, reading) => readCollection(uri, decodeURIComponent(String(name)), undefined, reading),
  )
  server.registerResource(
    'collection-page',
    new ResourceTemplate('medialog://collections/{name}/after/{cursor}', { list: undefined }),
    {
      title: 'More of a collection',
      description: 'The items that follow, as the page before names its address.',
      mimeType: 'application/json',
    },
    (uri, { name, cursor }, reading) =>
      readCollection(uri, decodeURIComponent(String(name)), String(cursor), reading),
  )
  server.registerResource(
    'erasure',
    new ResourceTemplate('medialog://erasures/{id}', { list: undefined }),
    {
      title: 'The receipt of an erasure',
      description: 'What was erased, when and where, signed.',
      mimeType: 'application/json',
    },
    async (uri, { id }, { mcpReq: { signal } }) => {
      const erasure = await found(uri, () => client.readErasure({ erasure_id: String(id) }, { signal }))
      return { contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify(erasure) }] }
    },
  )
  // The SDK's own list has no pages.
  server.server.setRequestHandler('resources/list', async ({ params }, { mcpReq: { signal } }) => {
    const { names, details, next } = await collectionsAfter(client, params?.cursor, signal)
    const resources = names.map((name) => ({
      uri: `medialog://collections/${encodeURIComponent(name)}`,
      name,
      description: counted(details[name]!.item_count, 'stored item'),
      mimeType: 'application/json',
    }))
    return { resources, ...(next !== undefined && { nextCursor: next }) }
  })
}

const RESOURCE_NOT_FOUND = -32_002

const notThere = (uri: URL, code = 'RESOURCE_NOT_FOUND'): ProtocolError =>
  new ProtocolError(RESOURCE_NOT_FOUND, `There is no ${uri.href}.`, { uri: uri.href, code })

/** @throws ProtocolError where there is no such thing, or it is another account's */
async function found<T>(uri: URL, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof Refused && error.status === 404) throw notThere(uri, error.code)
    throw error
  }
}
