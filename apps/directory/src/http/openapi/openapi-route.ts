import { Router } from 'express'

/** The document of the management API, for everybody: it tells nothing that the sources do not. */
export function openapiRoute(text: string): Router {
  return Router().get('/management/v1/openapi.json', (_req, res) => {
    res.setHeader('Cache-Control', 'public, max-age=300')
    res.type('json').send(text)
  })
}
