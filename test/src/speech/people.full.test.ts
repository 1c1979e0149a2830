import { createClient, type Client } from '@medialog/client'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startServer, temporaryDataFolder, type RunningServer } from '../harness/server.ts'
import { describeWithTool } from '../tools.ts'
import { LANGUAGES, music, recorded, type Recorded } from './prompts.ts'
import { wordErrors } from './word-errors.ts'

vi.setConfig({ testTimeout: 300_000 })

/**
 * Percent of words that may be wrong: 1, 9, 16, 8 and 24 were, 10.7 of all, and the model computes a little otherwise on other
 * processors. On twenty minutes it is as the README of the model says.
 */
const MOST_WRONG = { en: 4, es: 14, fr: 20, it: 12, ru: 28 }
const MOST_WRONG_IN_ALL = 13
const SECONDS = 75

describeWithTool('recordings', 'recordings', (folder) => {
  let data: Awaited<ReturnType<typeof temporaryDataFolder>>
  let server: RunningServer
  let client: Client
  const said = new Map<string, Recorded & { mediaId: string }>()

  beforeAll(async () => {
    data = await temporaryDataFolder()
    server = await startServer({ dataFolder: data.path })
    client = createClient({ url: server.url, apiKey: server.apiKey! })
    for (const language of LANGUAGES) {
      const prompts = recorded(folder, language, SECONDS)
      const file = { name: `${language}.wav`, content: prompts.wav }
      const { media_id: mediaId } = await client.uploadMedia({ file, collection_id: language })
      said.set(language, { ...prompts, mediaId })
    }
  }, 300_000)
  afterAll(async () => {
    await server.stop()
    await data.remove()
  })

  test('of people in five languages are written down', async () => {
    const wrong: Record<string, number> = {}
    const all = { errors: 0, words: 0 }
    for (const [language, { prompts, mediaId }] of said) {
      const { content } = await client.readMedia({ media_id: mediaId, include_chunks: true })
      const { errors, words } = wordErrors(prompts.map(({ text }) => text).join(' '), content!.transcript!)
      wrong[language] = (100 * errors) / words
      all.errors += errors
      all.words += words
    }
    expect(all.words).toBeGreaterThan(700)
    for (const language of LANGUAGES) expect(wrong[language], language).toBeLessThan(MOST_WRONG[language])
    expect((100 * all.errors) / all.words).toBeLessThan(MOST_WRONG_IN_ALL)
  })

  test('of people are found by what they say, when they say it', async () => {
    const { prompts } = said.get('en')!
    const { text, start } = prompts.at(-2)!
    const { results } = await client.search({ query: text, collections: ['en'] })
    const { time } = results[0]!.passage
    expect(time!.start).toBeLessThanOrEqual(start + 1)
    expect(time!.end).toBeGreaterThan(start)
  })

  test('of music are without text', async () => {
    const { media_id } = await client.uploadMedia({ file: { name: 'music.wav', content: music(folder) } })
    const { content } = await client.readMedia({ media_id, include_chunks: true })
    expect(content).toMatchObject({ transcript: '', segments: [] })
  })
})
