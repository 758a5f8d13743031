// Sign-ins of administrators as another person.
import type { Router } from 'express'
import { impersonationBanner } from './banner.routes.ts'
import { impersonationRoute } from './impersonation.routes.ts'
import { createImpersonations } from './impersonation.service.ts'

type ImpersonationParts = Parameters<typeof createImpersonations>[0] &
  Omit<Parameters<typeof impersonationRoute>[0], 'impersonations'>

/** Creates the banner, which stands before the routes of all pages, and the routes of impersonations. */
export function createImpersonationRoutes(parts: ImpersonationParts): {
  readonly banner: Router
  readonly route: Router
} {
  const impersonations = createImpersonations(parts)
  return {
    banner: impersonationBanner({ ...parts, impersonations }),
    route: impersonationRoute({ ...parts, impersonations }),
  }
}
