import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { OpenApi, OpenApiOperation, OpenApiParameter } from '@medialog/contract/http'
import { inlineMarkup as markup, textOf as text } from './markup.ts'
import { curlOf } from './curl.ts'
import { schemaTree } from './schema-tree.ts'
import { STYLE } from './style.ts'
import { SECRET_INPUTS, tryForm } from './try-form.ts'

const SCRIPT = readFileSync(new URL('try-it.js', import.meta.url), 'utf8')

type Listed = OpenApiOperation & { path: string; method: string }

/**
 * The reference as one page without outside resource: it works offline and prints. Its one script sends what is tried
 * out, only to the server that the page came from.
 */
export function referencePage(openapi: OpenApi): { html: string; contentSecurityPolicy: string } {
  const operations = Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method })),
  )
  const sections = openapi.tags.map((tag) => ({
    ...tag,
    operations: operations.filter(({ tags }) => tags.includes(tag.name)),
  }))
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${text(openapi.info.title)} API</title><style>${STYLE}</style></head><body>
<nav aria-label="Reference"><a class="brand" href="#top">${text(openapi.info.title)}</a>
${sections.map(navigation).join('')}</nav>
<main id="top"><header><h1>${text(openapi.info.title)} API</h1>
<p>${text(openapi.info.description)}</p>
<p>API version ${text(openapi.info.version)} · <a href="/openapi.json">openapi.json</a></p>
<p>Callers send their key as <code>X-Api-Key</code>, the operator the token as <code>X-Operator-Token</code>. Every answer in
JSON says <code>success</code> and, in a sentence, <code>message</code>. The examples below take their address and secrets from the shell; ids in them are made up.</p>
<pre>export MEDIALOG_URL=<span class="server">http://127.0.0.1:8080</span>
${text(SHELL)}</pre>
<p>Or fill in what you have here and open <em>Try it</em> below an operation: it is sent to this server, with your data and at
its price. What you fill in is kept nowhere.</p>${SECRET_INPUTS}</header>
${sections.map((section) => sectionOf(section, openapi)).join('')}</main><script type="module">${SCRIPT}</script></body></html>`
  return {
    html,
    contentSecurityPolicy: `default-src 'none'; style-src '${digestOf(STYLE)}'; script-src '${digestOf(SCRIPT)}'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  }
}

const digestOf = (inline: string): string => `sha256-${createHash('sha256').update(inline).digest('base64')}`

interface Section {
  name: string
  description: string
  operations: Listed[]
}

const SHELL = `# Printed at the first start:
export MEDIALOG_API_KEY=mlk_…
# Kept in data/secrets/operator-token:
export MEDIALOG_OPERATOR_TOKEN=…`

const navigation = ({ name, operations }: Section): string =>
  `<h2><a href="#${name}">${text(name)}</a></h2>${contentsOf(operations)}`

const contentsOf = (operations: Listed[]): string =>
  `<ul class="contents">${operations
    .map(({ operationId, summary }) => `<li><a href="#${operationId}">${text(summary)}</a></li>`)
    .join('')}</ul>`

const sectionOf = ({ name, description, operations }: Section, openapi: OpenApi): string =>
  `<section id="${name}"><h2>${text(name)}</h2><p>${markup(description)}</p>${contentsOf(operations)}
${operations.map((operation) => articleOf(operation, openapi)).join('')}</section>`

function articleOf(operation: Listed, openapi: OpenApi): string {
  const { operationId, method, path, summary, description, parameters, requestBody, responses } = operation
  const { 200: success, ...errors } = responses
  return `<article id="${operationId}"><h3>${text(summary)}</h3>
<p class="address"><span class="method ${method}">${method.toUpperCase()}</span> <code>${text(path)}</code></p>
${description ? `<p>${markup(description)}</p>` : ''}
<pre>${text(curlOf(operation, openapi))}</pre>
${tryForm(operation, openapi)}
${parameters.length > 0 ? `<h4>Parameters</h4>${parameterTable(parameters)}` : ''}
${requestBody ? contentOf('Body', requestBody.content, openapi) : ''}
${success ? contentOf('Answer 200', success.content ?? {}, openapi) : ''}
${Object.keys(errors).length > 0 ? `<h4>Refusals</h4><table><tbody>${errorRows(errors)}</tbody></table>` : ''}
</article>`
}

const parameterTable = (parameters: OpenApiParameter[]): string =>
  `<table class="parameters"><tbody>${parameters
    .map(({ name, in: place, required, description, schema }) => {
      const rule = schemaTree(schema, {})
      return `<tr><td><code>${text(name)}</code>${required ? ' <em>required</em>' : ''}</td><td>${place}</td><td>${rule}${description ? ` ${markup(description)}` : ''}</td></tr>`
    })
    .join('')}</tbody></table>`

const contentOf = (
  title: string,
  content: { [type: string]: { schema: OpenApiParameter['schema'] } },
  openapi: OpenApi,
): string =>
  Object.entries(content)
    .map(
      ([type, { schema }]) =>
        `<details><summary>${title} <code>${text(type)}</code></summary>${schemaTree(schema, openapi.components.schemas)}</details>`,
    )
    .join('')

const errorRows = (errors: OpenApiOperation['responses']): string =>
  Object.entries(errors)
    .map(
      ([status, { description }]) =>
        `<tr><td class="status">${status}</td><td>${description.split('\n\n').map(markup).join('<br>')}</td></tr>`,
    )
    .join('')
