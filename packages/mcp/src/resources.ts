import { Refused, type Client } from '@medialog/client'
import { ProtocolError, ResourceTemplate, type McpServer } from '@modelcontextprotocol/server'

/** Items and collections, for agents that attach what their user picks. */
export function registerResources(server: McpServer, client: Client): void {
  server.registerResource(
    'item',
    new ResourceTemplate('medialog://items/{id}', { list: undefined }),
    {
      title: 'A stored item',
      description: 'Its text, as it was read from the file.',
      mimeType: 'text/plain',
    },
    async (uri, { id }, { mcpReq: { signal } }) => {
      const item = await found(uri, () =>
        client.readMedia({ media_id: String(id), include_chunks: true }, { signal }),
      )
      return { contents: [{ uri: uri.href, mimeType: 'text/plain', text: item.content?.text ?? '' }] }
    },
  )
  server.registerResource(
    'collection',
    new ResourceTemplate('medialog://collections/{name}', {
      list: async ({ mcpReq: { signal } }) => {
        const { collection_details: details } = await client.listCollections({}, { signal })
        const resources = Object.entries(details).map(([name, { item_count: count }]) => ({
          uri: `medialog://collections/${encodeURIComponent(name)}`,
          name,
          description: `${count} stored items`,
          mimeType: 'application/json',
        }))
        return { resources }
      },
    }),
    {
      title: 'A collection',
      description: 'Its newest items, with the addresses of each.',
      mimeType: 'application/json',
    },
    async (uri, { name }, { mcpReq: { signal } }) => {
      const { items } = await found(uri, () =>
        client.listMedia({ collection: decodeURIComponent(String(name)), page_size: 100 }, { signal }),
      )
      const listed = items.map((item) => ({
        uri: `medialog://items/${item.media_id}`,
        media_type: item.media_type,
        ...('file_info' in item && item.file_info && { filename: item.file_info.filename }),
      }))
      return {
        contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify(listed, null, 1) }],
      }
    },
  )
}

const RESOURCE_NOT_FOUND = -32_002

/** @throws ProtocolError where there is no such thing, or it is another account's */
async function found<T>(uri: URL, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof Refused && error.status === 404)
      throw new ProtocolError(RESOURCE_NOT_FOUND, `There is no ${uri.href}.`, { uri: uri.href })
    throw error
  }
}
