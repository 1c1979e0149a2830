import { openApiDocument, routes, type RouteContract } from '@medialog/contract/http'
import { describe, expect, it } from 'vitest'
import { curlOf } from './curl.ts'
import { referencePage } from './page.ts'

const openapi = openApiDocument()
const { html } = referencePage(openapi)
const operations = Object.entries(openapi.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
)

describe('the reference', () => {
  it('begins with the upload', () => {
    const places = [...html.matchAll(/<article id="(\w+)"/g)].map(([, id]) => id!)
    expect(places[0]).toBe('uploadMedia')
    expect([...places].sort()).toEqual(operations.map(({ operationId }) => operationId).sort())
  })

  it('links only to what it holds', () => {
    const targets = [...html.matchAll(/href="#(\w+)"/g)].map(([, id]) => id)
    expect(targets.filter((id) => !html.includes(`id="${id}"`))).toEqual([])
    expect(targets.length).toBeGreaterThan(operations.length)
  })

  it.each(operations.map((operation) => [operation.operationId, operation] as const))(
    'shows how to call %s, with a body that it takes',
    (id, operation) => {
      const command = curlOf(operation, openapi)
      expect(command).toContain(`"$MEDIALOG_URL${operation.path.split('{')[0]}`)
      expect(command).not.toMatch(/…|undefined/)
      const sent = /-d '(.*)'$/.exec(command)?.[1]
      const { body, bodyOptional } = (routes as { [id: string]: RouteContract })[id]!
      if (body && !(bodyOptional && sent === undefined)) expect(body.parse(JSON.parse(sent!))).toBeDefined()
      else expect(sent).toBeUndefined()
    },
  )
})
