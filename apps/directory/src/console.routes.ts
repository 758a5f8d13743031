import { existsSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import { Router } from 'express'
import sirv from 'sirv'

/** The folder into which `apps/console` is built. */
const FOLDER = fileURLToPath(new URL('../../console/dist/', import.meta.url))

/**
 * The console loads its own files and calls this origin, and nothing else. No script can make markup of a string, but for the
 * document of a frame without rights, which shows a sign-in page (decision 119). A frame shows the API reference, or a document without rights.
 */
const policyOf = (issuer: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    `frame-src ${issuer}/console/api-reference/`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types signet-page-preview',
  ].join('; ')

/** Paths of the frame of the API reference, below the console; its page is found without the last slash, too. */
const FRAME = /^\/api-reference(?:\/|$)/

/**
 * The frame of the API reference runs a large bundle that others write. So it has no origin, also where it is opened by its address:
 * no cookie, no storage, and no request but for its own files. The console around it sends the requests (decision 129). The bundle writes its
 * styles into the page.
 */
const framePolicyOf = (issuer: string) =>
  [
    'sandbox allow-scripts',
    "default-src 'none'",
    `script-src ${issuer}/console/api-reference/assets/`,
    "style-src 'unsafe-inline'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    "require-trusted-types-for 'script'",
    'trusted-types vue default',
  ].join('; ')

/** Files whose names have their hashes. */
const ASSET = /^\/(?:api-reference\/)?assets\//

/**
 * Serves the console at `/console`: its page for every address without a file, its assets under names with their hashes, which
 * browsers keep for a year. Nothing is served where it was not built. Its frame has a policy of its own.
 */
export function consoleRoute(issuer: string, folder = FOLDER): Router {
  const router = Router()
  if (!existsSync(folder)) return router
  const [policy, framePolicy] = [policyOf(issuer), framePolicyOf(issuer)]
  const files = {
    gzip: true,
    brotli: true,
    // A 304 would carry the policy of the API, which browsers then take for that of the page.
    etag: false,
    setHeaders(res: ServerResponse, path: string) {
      const isOfFrame = FRAME.test(path)
      res.setHeader('Content-Security-Policy', isOfFrame ? framePolicy : policy)
      res.setHeader('Referrer-Policy', 'no-referrer')
      res.setHeader('X-DNS-Prefetch-Control', 'off')
      // Scripts of a page without an origin are asked for as those of another one.
      if (isOfFrame) res.setHeader('Access-Control-Allow-Origin', '*')
      const isNamedByHash = ASSET.test(path)
      res.setHeader('Cache-Control', isNamedByHash ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  }
  const serveAsset = sirv(folder, files)
  // Addresses of pages may have a dot.
  const servePage = sirv(folder, { ...files, single: true, ignores: false })
  return router.get(['/console', '/console/{*path}'], (req, res, next) => {
    const { url } = req
    // sirv reads the address below the folder; a route behind this one reads the whole.
    req.url = url.slice('/console'.length)
    const serve = ASSET.test(req.url) ? serveAsset : servePage
    serve(req, res, () => {
      req.url = url
      next()
    })
  })
}
