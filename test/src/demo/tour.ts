import {
  renderCollections,
  renderDeleted,
  renderMediaPage,
  renderMoved,
  renderSearch,
  renderUpload,
  renderUsage,
  uploadFiles,
  type Outcome,
  type SearchAnswer,
  type Terminal,
  type UsageAnswer,
} from '@medialog/cli'
import type { Client } from '@medialog/client'
import { counted } from '@medialog/kernel'
import { addsUp } from './bill.ts'
import { demoFiles } from './files.ts'

/** What a new user would try, one after the other, with what comes out. Throws when something is not as it should be. */
export async function tour(client: Client, terminal: Terminal, stop: AbortSignal): Promise<void> {
  const { look, print } = terminal
  const heading = (title: string, command: string) =>
    print(['', look.bold(title), look.dim(`$ medialog ${command}`), ''])
  const opening = await usage(client)

  heading('Upload: the file is read, what can be known of it is kept, the file itself is dropped', 'upload …')
  const ids = await uploadAll(client, terminal, stop)

  heading('What is stored now', 'list')
  print(renderMediaPage(await client.listMedia(), look))

  heading(
    'Search by meaning: none of the documents says "nap"',
    'search --min-score 0.1 do sea animals take a nap',
  )
  print(renderSearch(await search(client, 'do sea animals take a nap'), look))
  heading('Search by words', 'search --min-score 0.1 aeroelastic flutter wind')
  print(renderSearch(await search(client, 'aeroelastic flutter wind'), look))

  heading('Move: the collection is made on the way', 'collections move nature …')
  const items = ['whales-asleep.md', 'kimchi.txt'].map((name) => ids.get(name)!)
  print(renderMoved(await client.moveItems({ collection_id: 'nature', items }), look))
  print(['', ...renderCollections(await client.listCollections(), look)])

  heading('Delete is for ever: the next search does not find it', 'delete …')
  const media_ids = [ids.get('galloping-gertie.txt')!]
  print(renderDeleted(await client.deleteMediaBatch({ media_ids }), look))
  const after = await search(client, 'aeroelastic flutter wind')
  if (after.results.some(({ metadata }) => metadata.file_info.filename === 'galloping-gertie.txt'))
    throw new Error('A deleted item was found.')
  print(look.dim(`"aeroelastic flutter wind" now finds ${counted(after.meta.stats.total_results, 'item')}.`))

  heading('The bill', 'usage')
  const closing = await usage(client)
  print(renderUsage(closing, look))
  print(['', `${look.good('✓')} ${addsUp(opening, closing, ids.size)}`])
}

const usage = (client: Client): Promise<UsageAnswer> => client.readUsage()

const search = (client: Client, query: string): Promise<SearchAnswer> =>
  client.search({ query, collections: 'all', max_results: 3, min_score: 0.1 })

/** Each file's id by its name. */
async function uploadAll(
  client: Client,
  { look, print }: Terminal,
  stop: AbortSignal,
): Promise<Map<string, string>> {
  const files = demoFiles()
  const run = { overwrite: false, attempts: 3, concurrency: 2, stop, leave: stop }
  const ended = (outcome: Outcome) => outcome.kind === 'stored' && print(renderUpload(outcome.answer, look))
  const outcomes = await uploadFiles(client, files, run, { ended })
  const ids = new Map<string, string>()
  for (const outcome of outcomes) {
    if ('error' in outcome) throw outcome.error
    if (outcome.kind === 'stored') ids.set(outcome.file.filename, outcome.answer.media_id)
  }
  const [again] = await uploadFiles(client, files.slice(0, 1), run)
  if (again!.kind !== 'duplicate') throw new Error('The same file was stored twice.')
  print(`${look.warn('=')} ${look.bold(again!.file.filename)} once more: already stored, free`)
  return ids
}
