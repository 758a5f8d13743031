// Says what a sign-in of a user to an application would meet now, by the functions that decide at the sign-in itself.
import { InvalidScopeError, OAuthError } from '@signet/protocol/errors'
import type { BrowserSession } from '../sessions/browser-session.ts'
import { readAuthorizationRequest } from './authorization-request.ts'
import { type GateDependencies, type GateFinding, inspectGates } from './gates.ts'
import type { Client, FindClient } from './oauth-client.ts'
import { requestParameters } from './parameters.ts'
import type { ReadOrganizationContext } from './session-candidates.ts'

interface Dependencies extends GateDependencies {
  readonly findClient: FindClient
  readonly readOrganizationContext: ReadOrganizationContext
}

interface SignInQuestion {
  readonly userId: string
  readonly organizationId: string
  readonly clientId: string
  readonly scope: string
}

interface SignInAnswer {
  readonly findings: readonly GateFinding[]
  readonly droppedScopes: readonly string[]
}

/** Undefined without such an active application. */
export type ExplainSignIn = (question: SignInQuestion) => Promise<SignInAnswer | undefined>

export function createExplainSignIn(dependencies: Dependencies): ExplainSignIn {
  const { findClient, readOrganizationContext, now } = dependencies
  return async ({ userId, organizationId, clientId, scope }) => {
    const client = await findClient(clientId)
    if (client === undefined) return undefined
    try {
      const request = readAuthorizationRequest(parametersOf(client, scope), client)
      const { dropped, lacksRefresh } = request.scopeChanges
      const only = await readOrganizationContext(request.scopes)
      const session = newSession({ userId, organizationId }, now())
      const state = {
        redirect: { client, redirectUri: '', responseMode: 'query', isSigned: false, state: undefined },
        request,
        progress: { signedInSid: session.sid },
        select: async () => ({ candidates: [session], selected: { kind: 'none', session } }) as const,
      } as const
      const isOutside = only !== undefined && only !== organizationId
      const findings = await inspectGates(session, state, dependencies)
      return {
        findings: [{ gate: 'request', answer: isOutside ? otherOrganization() : undefined }, ...findings],
        droppedScopes: [...dropped, ...(lacksRefresh ? ['offline_access'] : [])],
      }
    } catch (error) {
      if (!(error instanceof OAuthError) || error.status >= 500) throw error
      return { findings: [{ gate: 'request', answer: error }], droppedScopes: [] }
    }
  }
}

/** A sign-in restricted to another organization does not find the user. */
const otherOrganization = () =>
  new InvalidScopeError('scope restricts the sign-in to an organization that the user is not of', {
    reason: 'scope_of_other_organization',
  })

/** A request as the application would send it. */
function parametersOf({ responseTypes }: Client, scope: string) {
  const responseType = responseTypes.includes('code') ? 'code' : (responseTypes[0] ?? 'code')
  return requestParameters([
    ['response_type', responseType],
    ['scope', scope],
    ['nonce', 'n'],
    ...(responseType === 'code'
      ? ([
          ['code_challenge', 'A'.repeat(43)],
          ['code_challenge_method', 'S256'],
        ] as const)
      : []),
  ])
}

/** A session that the user has just signed in to with all factors. */
function newSession(user: Pick<BrowserSession, 'userId' | 'organizationId'>, now: Date): BrowserSession {
  const time = now.getTime()
  return {
    ...user,
    ...{ sid: 'explained', authenticatedAt: time, lastUsedAt: time, lastCheckedAt: time },
    ...{ amr: ['pwd', 'otp', 'mfa'], userEpoch: 0, organizationEpoch: 0 },
  }
}
