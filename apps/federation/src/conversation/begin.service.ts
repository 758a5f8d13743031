import type { Clock } from '@signet/platform/runtime/clock'
import type { RandomBytes } from '@signet/platform/sealing/sealed-value'
import { identityProviderCallback } from '@signet/protocol/identity-provider-callback'
import { calculatePKCECodeChallenge } from 'oauth4webapi'
import { APPLE_CLIENT_SECRET } from './client-authentication.ts'
import type { AtPlace } from './places.ts'
import type { FindProvider, Provider } from './provider.ts'
import type { ProviderDocuments, ProviderMetadata } from './provider-documents.ts'
import { Refused } from './refusal.ts'
import type { RequestStore } from './request.repository.ts'
import { hashOfState, type RequestSealer, type RequestSecrets } from './sealed-request.ts'
import type { Beginning, Way } from './way.ts'

interface BeginParts {
  readonly issuer: string
  readonly findProvider: FindProvider
  readonly documents: ProviderDocuments
  readonly saml: Pick<Way, 'begin'>
  readonly github: Pick<Way, 'begin'>
  readonly atPlace: AtPlace
  readonly requests: Pick<RequestStore, 'add'>
  readonly sealer: RequestSealer
  readonly now: Clock
  readonly random: RandomBytes
  /** Most requests of one provider that are stored. */
  readonly mostRequests: number
}

export const REQUEST_SECONDS = 600
const SECRET_BYTES = 32

/** Returns the function that begins a sign-in: it answers where the browser goes and throws Refused. */
export function createBeginSignIn(parts: BeginParts): (beginning: Beginning) => Promise<URL> {
  const { findProvider, documents, atPlace, requests, sealer, now, random, mostRequests } = parts
  const secret = () => random(SECRET_BYTES).toString('base64url')

  const beginOidc: Way['begin'] = async (provider, beginning, maxAge) => {
    const metadata = await documents.findMetadata(provider.issuer)
    const secrets: RequestSecrets = {
      ...{ nonce: secret(), codeVerifier: secret(), issuer: provider.issuer, clientId: provider.clientId },
      ...(maxAge !== undefined && { maxAge }),
    }
    return {
      secrets,
      location: await authorizationUrl(parts.issuer, beginning, { provider, metadata, secrets }),
    }
  }

  const begins = { oidc: beginOidc, saml: parts.saml.begin, github: parts.github.begin }

  return async (beginning) => {
    const provider = await findProvider(beginning.providerId, beginning.organizationId)
    if (provider.type === 'ldap')
      throw new Refused('provider_type_differs', {
        received: 'ldap',
        expected: Object.keys(begins).join(', '),
      })
    const begin = begins[provider.type]
    const maxAge = beginning.fresh ? 0 : beginning.maxAge
    const { secrets, location } = await atPlace(provider.id, () => begin(provider, beginning, maxAge))
    const stateHash = hashOfState(beginning.state)
    const at = now()
    const isAdded = await requests.add(
      {
        ...{ stateHash, providerId: provider.id, organizationId: beginning.organizationId },
        browser: beginning.browser,
        sealed: sealer.seal({ ...secrets, ...(beginning.isTest && { isTest: true }) }, stateHash),
        expiresAt: new Date(at.getTime() + REQUEST_SECONDS * 1_000),
      },
      { most: mostRequests, now: at },
    )
    if (!isAdded)
      throw new Refused('too_many_requests', { expected: `at most ${mostRequests}`, temporary: true })
    return location
  }
}

interface Begun {
  readonly provider: Provider
  readonly metadata: ProviderMetadata
  readonly secrets: RequestSecrets
}

async function authorizationUrl(issuer: string, beginning: Beginning, begun: Begun): Promise<URL> {
  const { provider, metadata, secrets } = begun
  const parameters: Readonly<Record<string, string | undefined>> = {
    response_type: 'code',
    // Apple demands it for names and addresses (OAuth 2.0 Form Post Response Mode).
    response_mode: provider.clientAuthentication === APPLE_CLIENT_SECRET ? 'form_post' : undefined,
    client_id: provider.clientId,
    redirect_uri: identityProviderCallback(issuer, provider.id),
    scope: [...new Set(['openid', ...provider.scopes])].join(' '),
    state: beginning.state,
    nonce: secrets.nonce,
    code_challenge: await calculatePKCECodeChallenge(secrets.codeVerifier),
    code_challenge_method: 'S256',
    login_hint: beginning.loginHint || undefined,
    prompt: beginning.fresh ? 'login' : undefined,
    max_age: secrets.maxAge === undefined ? undefined : `${secrets.maxAge}`,
    acr_values: beginning.acrValues.join(' ') || undefined,
    ui_locales: beginning.uiLocales.join(' ') || undefined,
  }
  const url = new URL(metadata.authorization_endpoint)
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, value)
  }
  return url
}
