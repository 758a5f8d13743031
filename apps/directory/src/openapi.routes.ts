import { readFileSync } from 'node:fs'
import { type Html, html } from '@signet/http/html'
import { type RequestHandler, Router } from 'express'
import type { JsonSchema } from './openapi-document.ts'

const STYLESHEET = '/management/v1/reference.css'

/** The content security policy of docs/spec 5.5. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self' https: data:; base-uri 'none'; frame-ancestors 'none'"

/**
 * Serves the document of the management API, which `npm run generate` wrote, and the page made of it without authentication:
 * both are public in the sources.
 */
export function openapiRoute(): Router {
  const text = readFileSync(new URL('../openapi.json', import.meta.url), 'utf8')
  let page: string | undefined
  const stylesheet = readFileSync(new URL('../public/reference.css', import.meta.url))
  return Router()
    .get('/management/v1/openapi.json', cachedBriefly, (_req, res) => void res.type('json').send(text))
    .get('/management/v1/reference', cachedBriefly, (_req, res) => {
      res.setHeader('Content-Security-Policy', PAGE_POLICY)
      // Made when the first reader asks, since a start need not wait for it.
      page ??= referencePage(JSON.parse(text), STYLESHEET)
      res.type('html').send(page)
    })
    .get(STYLESHEET, cachedBriefly, (_req, res) => void res.type('css').send(stylesheet))
}

const cachedBriefly: RequestHandler = (_req, res, next) => {
  res.setHeader('Cache-Control', 'public, max-age=300')
  next()
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description?: string
  readonly schema: JsonSchema
}
interface Body {
  readonly content?: {
    readonly 'application/json'?: { readonly schema: JsonSchema; readonly example?: unknown }
  }
}
interface Described {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: Body
  readonly responses: Readonly<
    Record<string, Body & { readonly description?: string; readonly $ref?: string }>
  >
}
/** Members of the document that the page shows. */
interface ReadableDocument {
  readonly info: { readonly title: string; readonly description: string }
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
}

/** The document of the management API for people: one page without scripts. */
function referencePage(document: ReadableDocument, stylesheet: string): string {
  const { info, tags, paths, components } = document
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ path, method, described })),
  )
  const page = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title}</title><link rel="icon" href="data:,"><link rel="stylesheet" href="${stylesheet}"></head>
<body>
<header><h1>${info.title}</h1>${paragraphs(info.description)}<p><a href="openapi.json">openapi.json</a></p></header>
<nav><ul>${tags.map(({ name }) => html`<li><a href="#${name}">${name}</a></li>`)}<li><a href="#schemas">schemas</a></li></ul></nav>
<main>
${tags.map(
  ({ name }) => html`<section id="${name}"><h2>${name}</h2>
${operations.filter(({ described }) => described.tags.includes(name)).map(operationArticle)}</section>`,
)}
<section id="schemas"><h2>schemas</h2>
${Object.entries(components.schemas).map(
  ([name, schema]) => html`<article id="schema-${name}"><h3>${name}</h3>${schemaText(schema)}</article>`,
)}</section>
</main>
</body>
</html>
`
  return page.markup
}

function operationArticle({
  path,
  method,
  described,
}: {
  path: string
  method: string
  described: Described
}): Html {
  const { operationId, summary, description, parameters, requestBody, responses } = described
  const request = requestBody?.content?.['application/json']
  return html`<article id="${operationId}"><h3><code>${method.toUpperCase()} ${path}</code></h3>
<p>${summary}. <span class="quiet">${operationId}</span></p>${description !== undefined && paragraphs(description)}
${
  parameters.length > 0 &&
  html`<table><thead><tr><th>Parameter</th><th>In</th><th>Type</th><th>Meaning</th></tr></thead>
<tbody>${parameters.map(
    ({ name, in: place, required, schema, description: meaning }) =>
      html`<tr><td><code>${name}</code></td><td>${place}${required && ', required'}</td><td>${typeText(schema)}</td><td>${meaning !== undefined && inline(meaning)}</td></tr>`,
  )}</tbody></table>`
}
${request && html`<p>Body: ${schemaLink(request.schema)}</p><pre>${JSON.stringify(request.example, null, 2)}</pre>`}
<p>Answers: ${Object.entries(responses).map(([status, response]) => {
    const schema = response.content?.['application/json']?.schema
    return html`<span class="answer"><code>${status}</code> ${schema ? schemaLink(schema) : inline(response.description ?? '')}</span> `
  })}</p></article>`
}

/** The paragraphs of a description, which is Markdown with code and nothing else. */
function paragraphs(text: string): readonly Html[] {
  return text.split('\n\n').map((paragraph) => html`<p>${inline(paragraph.replaceAll('\n', ' '))}</p>\n`)
}

/** Text in which names between backquotes are code. */
function inline(text: string): Html {
  return html`${text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))}`
}

function schemaLink(schema: JsonSchema): Html {
  const name =
    String(schema.$ref ?? '')
      .split('/')
      .at(-1) ?? ''
  return html`<a href="#schema-${name}">${name}</a>`
}

function typeText({ type, enum: values }: JsonSchema): string {
  return Array.isArray(values) ? values.join(' | ') : String(type ?? '')
}

function schemaText(schema: JsonSchema): Html {
  return html`<pre>${JSON.stringify(schema, null, 2).replaceAll('#/components/schemas/', '')}</pre>`
}
