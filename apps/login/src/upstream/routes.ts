// Signing in by an identity provider that the person has an account at.
import type { Router } from 'express'
import { createPostedLimit, type PostedParameters } from '../authorize/pending-authorization.ts'
import { PATHS } from '../pages/paths.ts'
import { orUnavailable } from '../pages/problems.ts'
import type { createSignInMeasure } from '../sign-in/measure-sign-ins.ts'
import { metadataRoute } from './metadata.routes.ts'
import { postedResponsesRoute } from './posted-responses.routes.ts'
import { providerInitiatedRoute } from './provider-initiated.routes.ts'
import { createProviderInitiated } from './provider-initiated.service.ts'
import { providerTestRoute } from './provider-tests.routes.ts'
import { createProviderTests } from './provider-tests.service.ts'
import { singleLogoutRoute } from './single-logout.routes.ts'
import { linkRoute, unlinkedRoute } from './unlinked.routes.ts'
import { upstreamRoute } from './upstream.routes.ts'
import { upstreamLogoutRoute } from './upstream-logout.routes.ts'
import { createUpstreamLogouts } from './upstream-logout.service.ts'
import { upstreamPasswordRoute } from './upstream-password.routes.ts'
import { createUpstreamPassword } from './upstream-password.service.ts'
import { createUpstreamProblemSender } from './upstream-problem.page.ts'
import { createUpstreamSignIn } from './upstream-sign-in.service.ts'

type UpstreamParts = Parameters<typeof createUpstreamSignIn>[0] &
  Parameters<typeof createProviderTests>[0] &
  Parameters<typeof createUpstreamLogouts>[0] &
  Parameters<typeof createUpstreamPassword>[0] &
  Omit<Parameters<typeof createProviderInitiated>[0], 'beginAtProvider' | 'endUri'> &
  Omit<Parameters<typeof upstreamPasswordRoute>[0], 'verifyUpstreamPassword'> &
  Omit<Parameters<typeof upstreamRoute>[0], 'posted' | 'providerTests' | 'showProblem' | 'upstreamSignIn'> &
  Omit<Parameters<typeof postedResponsesRoute>[0], 'countPosted' | 'posted'> &
  Parameters<typeof createUpstreamProblemSender>[0] & {
    readonly issuer: string
    readonly posted: PostedParameters
    readonly measured: ReturnType<typeof createSignInMeasure>
  }

/** Creates the routes of a sign-in by an identity provider. */
export function createUpstreamRoutes(parts: UpstreamParts): readonly Router[] {
  const created = createUpstreamSignIn(parts)
  const upstreamSignIn = { ...created, complete: parts.measured('identity_provider', created.complete) }
  const providerTests = createProviderTests(parts)
  const showProblem = createUpstreamProblemSender(parts)
  const pages = { ...parts, upstreamSignIn, providerTests, showProblem }
  const providerInitiated = createProviderInitiated({
    ...parts,
    endUri: `${parts.issuer}${PATHS.upstreamEnd}`,
    beginAtProvider: (...request) => orUnavailable(() => upstreamSignIn.begin(...request)),
  })
  const password = {
    ...parts,
    verifyUpstreamPassword: parts.measured('identity_provider', createUpstreamPassword(parts)),
  }
  const upstreamLogouts = createUpstreamLogouts(parts)
  return [
    metadataRoute(parts),
    upstreamLogoutRoute({ ...parts, upstreamLogouts }),
    singleLogoutRoute({ ...parts, upstreamLogouts }),
    upstreamRoute(pages),
    postedResponsesRoute({ ...parts, countPosted: createPostedLimit(parts.now) }),
    providerInitiatedRoute({ ...pages, providerInitiated }),
    upstreamPasswordRoute(password),
    providerTestRoute(pages),
    unlinkedRoute(pages),
    linkRoute(pages),
  ]
}
