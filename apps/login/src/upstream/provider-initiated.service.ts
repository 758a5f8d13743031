// Sign-ins that begin at a SAML provider (SAML 2.0 Profiles section 4.1.5). The response that comes without a request is a wish and no
// proof: it is not read. An ordinary sign-in begins by this provider, bound to this browser, and the response to its request counts. A
// provider that answers that request without naming it is refused, so that no browser goes back and forth.
import type { FindInitiatingProvider } from '@signet/directory-reader/initiating-providers'
import type { AuthorizationFlow } from '../authorize/authorization-flow.ts'
import type { FindClient } from '../authorize/oauth-client.ts'
import { ownClientParameters } from '../authorize/own-sign-in.ts'
import { requestParameters } from '../authorize/parameters.ts'
import { type Browser, PageExpiredError } from '../sessions/browser.ts'
import type { UpstreamRefusal } from './upstream.ts'
import type { UpstreamSignIn } from './upstream-sign-in.service.ts'

export interface ProviderInitiatedDependencies {
  /** The URL of the page at which such sign-ins end. */
  readonly endUri: string
  readonly findInitiatingProvider: FindInitiatingProvider
  readonly findStoredClient: FindClient
  readonly flow: Pick<AuthorizationFlow, 'assess' | 'begin'>
  /** Begins at the provider; `unavailable` while a service does not answer. */
  readonly beginAtProvider: (
    ...request: Parameters<UpstreamSignIn['begin']>
  ) => Promise<Awaited<ReturnType<UpstreamSignIn['begin']>> | { readonly kind: 'unavailable' }>
}

/** A pending request of a browser. */
interface PendingRequest {
  readonly requestId: string
  readonly browser: Browser
}

type Begun = PendingRequest &
  ({ readonly kind: 'begun'; readonly location: string } | { readonly kind: 'unavailable' } | UpstreamRefusal)

export interface ProviderInitiated {
  /**
   * Begins a sign-in by a provider; undefined where none may begin at it. `last` is the last request of this browser that began at the
   * provider, or one that began at another one where there are several: while it waits for an answer, it is refused and no other one begins.
   */
  begin(providerId: string, browser: Browser, last: PendingRequest | undefined): Promise<Begun | undefined>
  /** Returns the registered address at which a sign-in ends that began at a provider; undefined: it ends at the own account. */
  findEnd(providerId: string): Promise<string | undefined>
}

/** The scope that restricts a request to the people of an organization. */
const scopeOf = (organizationId: string) => `openid urn:service:iam:org:id:${organizationId}`

export function createProviderInitiated(dependencies: ProviderInitiatedDependencies): ProviderInitiated {
  const { endUri, findInitiatingProvider, findStoredClient, flow, beginAtProvider } = dependencies

  /** Whether a request of this browser began at a provider that has not answered it. */
  async function isWaiting({ requestId, browser }: PendingRequest): Promise<boolean> {
    try {
      const { redirect, progress } = await flow.assess(requestId, browser)
      const { upstream, upstreamProblem, passwordProof, signedInSid } = progress
      const isAnswered = [upstream, upstreamProblem, passwordProof, signedInSid].some(Boolean)
      return redirect.redirectUri === endUri && !isAnswered
    } catch (error) {
      if (error instanceof PageExpiredError) return false
      throw error
    }
  }

  return {
    async begin(providerId, browser, last) {
      const provider = await findInitiatingProvider.byId(providerId)
      if (provider === undefined) return undefined
      if (last !== undefined && (await isWaiting(last)))
        return { kind: 'refused', rule: 'response_unsolicited', ...last }
      const parameters = ownClientParameters(endUri, {
        scope: scopeOf(provider.organizationId),
        state: providerId,
        // A session of another person does not answer it, and the provider need not ask the person again.
        prompt: 'select_account',
      })
      const outcome = await flow.begin(requestParameters(Object.entries(parameters)), browser, {
        clientAddress: browser.clientAddress,
        onRead: () => undefined,
      })
      if (outcome.kind === 'respond') throw new Error('a session answered a request to choose an account')
      const { requestId } = outcome
      const begun = await beginAtProvider(requestId, browser, providerId)
      if (begun.kind === 'asks-password') throw new Error('a provider of SAML asks for no password here')
      return { ...begun, requestId, browser }
    },
    async findEnd(providerId) {
      const { clientId, organizationId } = (await findInitiatingProvider.byId(providerId)) ?? {}
      const client = clientId == null ? undefined : await findStoredClient(clientId)
      return client?.organizationId === organizationId ? client?.start : undefined
    },
  }
}
