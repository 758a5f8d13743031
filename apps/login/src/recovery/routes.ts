// The pages of forgotten passwords and of the links in e-mails.
import type { Router } from 'express'
import { PATHS } from '../pages/paths.ts'
import { forgotRoute } from './forgot.routes.ts'
import { passwordLinkRoute } from './link.routes.ts'
import { verifyEmailRoute } from './verify-email.routes.ts'

/** Creates the routes of links in e-mails. */
export function createRecoveryRoutes(
  parts: Parameters<typeof forgotRoute>[0] & Parameters<typeof verifyEmailRoute>[0],
): readonly Router[] {
  return [
    forgotRoute(parts),
    passwordLinkRoute(parts, PATHS.reset, 'password_reset'),
    passwordLinkRoute(parts, PATHS.invitation, 'invitation'),
    verifyEmailRoute(parts),
  ]
}
