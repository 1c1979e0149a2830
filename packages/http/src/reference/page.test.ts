import { createHash } from 'node:crypto'
import { openApiDocument, routes, type RouteContract } from '@medialog/contract/http'
import { describe, expect, it } from 'vitest'
import { curlOf } from './curl.ts'
import { referencePage } from './page.ts'
import { readable, requestOf } from './try-it.js'

const openapi = openApiDocument()
const { html, contentSecurityPolicy } = referencePage(openapi)
const operations = Object.entries(openapi.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
)

describe('the reference', () => {
  it('begins with the upload', () => {
    const places = [...html.matchAll(/<article id="(\w+)"/g)].map(([, id]) => id!)
    expect(places[0]).toBe('uploadMedia')
    expect([...places].sort()).toEqual(operations.map(({ operationId }) => operationId).sort())
  })

  it('names the address that the page came from, once its script runs', () => {
    expect(html).toContain('export MEDIALOG_URL=<span class="server">http://127.0.0.1:8080</span>')
    expect(html).toContain("document.querySelectorAll('.server')) place.textContent = location.origin")
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

describe('trying out', () => {
  const formOf = (id: string): string =>
    new RegExp(`<article id="${id}">.*?<form (.*?)</form>`, 's').exec(html)![1]!

  it('lets the browser run the page’s own script and style, and call no other server', () => {
    for (const [kind, tag] of [
      ['script', /<script type="module">(.*?)<\/script>/s],
      ['style', /<style>(.*?)<\/style>/s],
    ] as const) {
      const digest = createHash('sha256').update(tag.exec(html)![1]!).digest('base64')
      expect(contentSecurityPolicy).toContain(`${kind}-src 'sha256-${digest}';`)
    }
    expect(contentSecurityPolicy).toContain("connect-src 'self';")
  })

  it.each(operations.map((operation) => [operation.operationId, operation] as const))(
    '%s: everything that it takes can be filled in',
    (id, { parameters, path, method, requestBody }) => {
      const form = formOf(id)
      expect(form).toContain(`data-method="${method}" data-path="${path}"`)
      for (const { name, in: place, required } of parameters) {
        const input = new RegExp(`<(?:input|select) name="${name}" data-in="${place}"( required)?`).exec(form)
        expect(Boolean(input![1])).toBe(required)
      }
      const isForm = requestBody && 'multipart/form-data' in requestBody.content
      expect(form.includes('type="file"')).toBe(isForm === true)
      expect(form.includes('data-in="json"')).toBe(Boolean(requestBody) && !isForm)
    },
  )

  it('sends what was filled in and nothing that was not', async () => {
    const secret = { header: 'X-Api-Key', prefix: '', value: 'mlk_a' }
    expect(
      requestOf({
        method: 'get',
        path: '/v1/media/{id}',
        secret,
        fields: [
          { in: 'path', name: 'id', value: 'vec-a/b' },
          { in: 'query', name: 'include_chunks', value: 'true' },
          { in: 'query', name: 'include_vectors', value: '' },
          { in: 'header', name: 'X-Min-Position', value: '' },
        ],
      }),
    ).toEqual({
      url: '/v1/media/vec-a%2Fb?include_chunks=true',
      init: { method: 'GET', headers: { 'X-Api-Key': 'mlk_a' } },
    })
    expect(
      requestOf({
        method: 'post',
        path: '/v1/search',
        secret: { ...secret, value: '' },
        fields: [{ in: 'json', name: 'body', value: '{"query": "x"}' }],
      }),
    ).toEqual({
      url: '/v1/search',
      init: { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"query": "x"}' },
    })
    const file = new File(['A note.'], 'note.txt')
    const { init } = requestOf({
      method: 'post',
      path: '/v1/media',
      secret,
      fields: [
        { in: 'form', name: 'file', value: 'C:\\fakepath\\note.txt', files: [file] },
        { in: 'form', name: 'collection_id', value: 'notes' },
        { in: 'form', name: 'force_overwrite', value: '' },
      ],
    })
    const entries = [...(init.body as FormData).entries()]
    expect(entries.map(([name]) => name)).toEqual(['collection_id', 'file'])
    expect(await (entries[1]![1] as File).text()).toBe('A note.')
  })

  it('sets out JSON and leaves the rest', () => {
    expect(readable('{"a":1}')).toBe('{\n  "a": 1\n}')
    expect(readable('event: delta\n')).toBe('event: delta\n')
  })
})
