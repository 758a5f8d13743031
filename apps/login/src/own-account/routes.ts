// The pages on which people look after their own accounts, and the services behind them.
import type { Router } from 'express'
import { applicationsRoute } from './applications.routes.ts'
import { createOwnApplications } from './applications.service.ts'
import { confirmRoute } from './confirm.routes.ts'
import { createConfirmation } from './confirm.service.ts'
import { dataRoute } from './data.routes.ts'
import { deletionRoute } from './deletion.routes.ts'
import { emailRoute } from './email.routes.ts'
import { factorsRoute } from './factors.routes.ts'
import { linksRoute } from './links.routes.ts'
import { overviewRoute } from './overview.routes.ts'
import { createOwnFactors } from './own-factors.service.ts'
import { createOwnLinks } from './own-links.service.ts'
import { createOwnPasskeys } from './own-passkeys.service.ts'
import { createOwnSecurity } from './own-security.service.ts'
import { passkeysRoute } from './passkeys.routes.ts'
import { ownPasswordRoute } from './password.routes.ts'
import { profileRoute } from './profile.routes.ts'
import { ownSessionsRoute } from './sessions.routes.ts'

type ServiceParts = Parameters<typeof createConfirmation>[0] &
  Parameters<typeof createOwnPasskeys>[0] &
  Parameters<typeof createOwnFactors>[0] &
  Parameters<typeof createOwnLinks>[0] &
  Parameters<typeof createOwnSecurity>[0] &
  Parameters<typeof createOwnApplications>[0]

type PageParts = Omit<Parameters<typeof confirmRoute>[0], 'confirmation'> &
  Omit<Parameters<typeof applicationsRoute>[0], 'ownApplications'> &
  Omit<Parameters<typeof passkeysRoute>[0], 'ownPasskeys' | 'passkeyForms'> &
  Omit<Parameters<typeof dataRoute>[0], keyof ReturnType<typeof createServices>> &
  Pick<Parameters<typeof ownSessionsRoute>[0], 'places'> &
  Parameters<typeof deletionRoute>[0] &
  Parameters<typeof emailRoute>[0] &
  Parameters<typeof profileRoute>[0]

function createServices(parts: ServiceParts) {
  return {
    confirmation: createConfirmation(parts),
    ownPasskeys: createOwnPasskeys(parts),
    ownFactors: createOwnFactors(parts),
    ownLinks: createOwnLinks(parts),
    ownSecurity: createOwnSecurity(parts),
    ownApplications: createOwnApplications(parts),
  }
}

/** Creates the routes of the account pages. */
export function createOwnAccountRoutes(parts: ServiceParts & PageParts): readonly Router[] {
  const { passkeyForms } = parts
  const pages = { ...parts, ...createServices(parts) }
  const routes = [
    overviewRoute,
    profileRoute,
    emailRoute,
    ownPasswordRoute,
    factorsRoute,
    applicationsRoute,
    ownSessionsRoute,
    linksRoute,
    dataRoute,
    deletionRoute,
    confirmRoute,
  ].map((route) => route(pages))
  return passkeyForms === undefined ? routes : [...routes, passkeysRoute({ ...pages, passkeyForms })]
}
