import { Router } from 'express'
import { showBanner } from '../pages/impersonation-banner.ts'
import { PATHS } from '../pages/paths.ts'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'
import type { Impersonations } from './impersonation.service.ts'

const ASSETS = PATHS.asset.replace(/:.*$/, '')

interface BannerDependencies {
  readonly impersonations: Pick<Impersonations, 'active'>
  readonly cookies: BrowserCookies
}

/**
 * Gives every page of a browser with an impersonation its banner. Sessions are read for browsers with the cookie of an impersonation
 * alone; the cookie authenticates no one, and a browser without it only has no banner.
 */
export function impersonationBanner({ impersonations, cookies }: BannerDependencies): Router {
  return Router().use(async (req, _res, next) => {
    const browser = cookies.known(req)
    if (browser !== undefined && cookies.hasImpersonation(req) && !req.path.startsWith(ASSETS)) {
      const active = await impersonations.active(browser)
      if (active !== undefined) showBanner(req, { ...active, browser })
    }
    next()
  })
}
