import { randomUUID } from 'node:crypto'
import { ServiceError } from '@temporalio/client'
import { describe, expect, test } from 'vitest'
import { isUnknownAttribute, SearchAttributes, type AttributeRegistry } from './search-attributes.ts'

const ALL = ['MedialogAccount', 'MedialogMedia', 'MedialogBatch']
const KEYWORD = 2
const TEXT = 1

/** A registry of a server: what is added is there at once, unless it refuses. */
function registry(attributes: { [name: string]: number } = {}, { refuses = false } = {}) {
  const asked = { list: 0, add: [] as string[][] }
  const self: AttributeRegistry = {
    async list() {
      asked.list++
      return { ...attributes }
    },
    async add(added) {
      asked.add.push(Object.keys(added))
      if (refuses) throw new Error('permission denied')
      Object.assign(attributes, added)
    },
  }
  return { self, asked, attributes }
}

const subjects = { account: randomUUID(), media: randomUUID() }
const namesOf = async (attributes: SearchAttributes): Promise<string[]> =>
  (await attributes.of(subjects)).getAll().map(({ key }) => key.name)

describe('search attributes', () => {
  test('are registered once, where the namespace has them not', async () => {
    const { self, asked, attributes } = registry({ MedialogAccount: KEYWORD, Other: TEXT })
    const searched = new SearchAttributes(self)
    const given = await searched.of(subjects)
    expect(given.getAll().map(({ key, value }) => [key.name, value])).toEqual([
      ['MedialogAccount', subjects.account],
      ['MedialogMedia', subjects.media],
    ])
    expect(asked.add).toEqual([['MedialogMedia', 'MedialogBatch']])
    expect(Object.keys(attributes)).toEqual(expect.arrayContaining(ALL))
    await searched.of(subjects)
    expect(asked.list).toBe(2)
  })

  test('are left out where they may not be registered, are of another type or cannot be asked for', async () => {
    const mine = registry({ MedialogAccount: KEYWORD, MedialogMedia: TEXT }, { refuses: true })
    expect(await namesOf(new SearchAttributes(mine.self))).toEqual(['MedialogAccount'])
    const away = {
      list: () => Promise.reject(new Error('away')),
      add: () => Promise.reject(new Error('away')),
    }
    expect(await namesOf(new SearchAttributes(away))).toEqual([])
  })

  test('are looked for again after a minute, and when the server turned out not to know them', async () => {
    let now = 0
    const { self, asked, attributes } = registry({}, { refuses: true })
    const searched = new SearchAttributes(self, () => now)
    expect(await namesOf(searched)).toEqual([])
    for (const name of ALL) attributes[name] = KEYWORD
    now = 59_999
    expect(await namesOf(searched)).toEqual([])
    now = 60_000
    expect(await namesOf(searched)).toEqual(['MedialogAccount', 'MedialogMedia'])
    expect(asked.list).toBe(3)
    searched.forget()
    expect(await namesOf(searched)).toEqual([])
    now = 120_000
    expect(await namesOf(searched)).toEqual(['MedialogAccount', 'MedialogMedia'])
  })

  test('that are not known are detected by the error of the server', () => {
    const refused = (code: number, details: string): ServiceError =>
      new ServiceError('refused', {
        cause: Object.assign(new Error(details), { code, details, metadata: {} }),
      })
    const details = 'Namespace default has no mapping defined for search attribute MedialogAccount'
    expect(isUnknownAttribute(refused(3, details))).toBe(true)
    expect(isUnknownAttribute(refused(3, 'the workflow id is too long'))).toBe(false)
    expect(isUnknownAttribute(refused(14, details))).toBe(false)
    expect(isUnknownAttribute(new Error(details))).toBe(false)
  })
})
