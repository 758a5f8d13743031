import { readFileSync } from 'node:fs'
import { type RequestHandler, Router } from 'express'
import { referencePage } from './reference-page.ts'

const STYLESHEET = '/management/v1/reference.css'

/** The content security policy of docs/spec 5.5. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self' https: data:; base-uri 'none'; frame-ancestors 'none'"

/**
 * Serves the document of the management API and the page made of it without authentication: both are public
 * in the sources.
 */
export function openapiRoute(text: string): Router {
  const page = referencePage(JSON.parse(text), STYLESHEET)
  const stylesheet = readFileSync(new URL('../../../public/reference.css', import.meta.url))
  return Router()
    .get('/management/v1/openapi.json', cachedBriefly, (_req, res) => void res.type('json').send(text))
    .get('/management/v1/reference', cachedBriefly, (_req, res) => {
      res.setHeader('Content-Security-Policy', PAGE_POLICY)
      res.type('html').send(page)
    })
    .get(STYLESHEET, cachedBriefly, (_req, res) => void res.type('css').send(stylesheet))
}

const cachedBriefly: RequestHandler = (_req, res, next) => {
  res.setHeader('Cache-Control', 'public, max-age=300')
  next()
}
