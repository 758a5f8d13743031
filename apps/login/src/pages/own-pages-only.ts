import { isConsumerPath } from '@signet/protocol/assertion-consumer'
import { type Request, Router } from 'express'
import { PATHS } from './paths.ts'

/** A request that a page of another origin sent and that only own pages may send. It has no effect. */
export class ForeignRequestError extends Error {
  override readonly name = 'ForeignRequestError'
}

/** Clients post to these from their own pages (OIDC Core section 3.1.2.1, RP-Initiated Logout section 2). */
const OF_CLIENTS: readonly string[] = [PATHS.authorize, PATHS.endSession]
/** Identity providers post to these from their own pages (SAML Bindings section 3.5). */
const OF_PROVIDERS = [PATHS.upstreamCallback, PATHS.upstreamSingleLogout].map(
  (path) => new RegExp(`^${path.replace(':providerId', '[^/]+')}$`),
)
const ASSETS = PATHS.asset.replace(/:.*$/, '')
const OWN_SITES: readonly string[] = ['same-origin', 'none']

/**
 * Refuses, before any limit counts the request, a form that another origin posts, and what a page of another origin loads
 * without opening it: an image with the address of a sign-in, for example. `Sec-Fetch-Site` says who sent a request, and
 * `Origin` in browsers without it. Pages send no referrer, so the `Origin` of their forms can be `null`; the form token
 * decides about those.
 */
export function ownPagesOnly(issuer: string): Router {
  const own = new URL(issuer).origin
  return Router().use((req, _res, next) => {
    const isForm = !['GET', 'HEAD', 'OPTIONS'].includes(req.method) && !isForOthers(req.path)
    if ((isForm && isForeign(req, own)) || isLoadedElsewhere(req))
      throw new ForeignRequestError('another origin sent the request')
    next()
  })
}

const isForOthers = (path: string) =>
  OF_CLIENTS.includes(path) || OF_PROVIDERS.some((route) => route.test(path)) || isConsumerPath(path)

function isForeign({ headers }: Request, own: string): boolean {
  const { 'sec-fetch-site': site, origin = 'null' } = headers
  if (site !== undefined) return !OWN_SITES.includes(`${site}`)
  return origin !== 'null' && origin !== own
}

function isLoadedElsewhere({ headers, path }: Request): boolean {
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode } = headers
  return site === 'cross-site' && mode !== 'navigate' && !path.startsWith(ASSETS)
}
