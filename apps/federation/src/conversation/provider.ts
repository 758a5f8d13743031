import type { RpcClient } from '@signet/grpc/client'
import { REPEATED_CALL_TIMEOUT_MS } from '@signet/grpc/client'
import { RpcError } from '@signet/grpc/error'
import type { IdentityProviderService } from '@signet/grpc/gen/directory/v1/identity_provider_service_pb'
import { PROVIDER_TYPES, type ProviderType } from '@signet/protocol/identity-provider-types'
import { isLoopbackHost } from '@signet/protocol/redirect-uri'
import { Refused } from './refusal.ts'

/** An identity provider by which people may sign in now. */
export interface Provider {
  readonly id: string
  readonly type: ProviderType
  readonly organizationId: string
  /** The issuer of ID tokens, the entity id of a SAML provider, the name of a directory, or the address of a GitHub. */
  readonly issuer: string
  /** The client_id, the entity id of Signet at a SAML provider, or the DN of its account in a directory. */
  readonly clientId: string
  readonly clientSecret: string
  /** The private key of private_key_jwt and apple_client_secret, which signs and is never sent. */
  readonly clientKey: string
  /** The names of the key at Apple; empty elsewhere. */
  readonly clientTeamId: string
  readonly clientKeyId: string
  readonly clientAuthentication: string
  readonly scopes: readonly string[]
  readonly subjectClaim: string
  readonly requiredClaims: readonly NamedClaim[]
  readonly mappedClaims: readonly NamedClaim[]
  readonly groupsClaim: string
  readonly ssoUrl: string
  /** Takes messages of a sign-out at a SAML provider. Empty: it has none. */
  readonly sloUrl: string
  /** X.509, DER in base64. */
  readonly certificates: readonly string[]
  readonly wantAssertionsSigned: boolean
  /** Empty: any but a transient one. */
  readonly nameIdFormat: string
  /** Empty: that of Signet. */
  readonly assertionConsumerPath: string
  /** `none`, `optional` or `required`. */
  readonly assertionEncryption: string
  readonly signAuthnRequests: boolean
  /** Private keys of Signet at the provider, the oldest first: PKCS #8, DER in base64. */
  readonly ownKeys: readonly string[]
  /** The provider may end sessions by logout tokens, one of SAML by requests. */
  readonly backchannelLogout: boolean
  /** A sign-out goes on at the provider. */
  readonly rpInitiatedLogout: boolean
  /** URLs of the servers of a directory, in the order in which they are asked. */
  readonly servers: readonly string[]
  readonly baseDn: string
  readonly objectClass: string
  /** The attributes that a typed name is compared with. */
  readonly nameAttributes: readonly string[]
}

interface NamedClaim {
  readonly name: string
  readonly value: string
}

/** Returns a provider that people of an organization, or of any when it is empty, may sign in by. Throws Refused. */
export type FindProvider = (providerId: string, organizationId: string) => Promise<Provider>

/** Asks the directory each time, so that a provider refuses from the moment that it is deactivated. */
export function createFindProvider(directory: RpcClient<typeof IdentityProviderService>): FindProvider {
  return async (providerId, organizationId) => {
    const found = await directory
      .findProvider({ providerId }, { timeoutMs: REPEATED_CALL_TIMEOUT_MS })
      .catch((error: unknown) => {
        if (error instanceof RpcError && error.code === 'NOT_FOUND') throw new Refused('provider_unknown')
        throw new Refused('directory_away', { temporary: true, cause: error })
      })
    const type = PROVIDER_TYPES.find((known) => known === found.type)
    if (type === undefined)
      throw new Refused('provider_type_unknown', {
        received: found.type,
        expected: PROVIDER_TYPES.join(', '),
      })
    if (!found.usable) throw new Refused('provider_not_usable')
    requireOrganization(found, organizationId)
    // The issuer of SAML and of a directory is a name: no request goes there. A connection to a directory server has TLS always.
    if (type !== 'ldap') requireTls(type === 'saml' ? found.ssoUrl : found.issuer)
    return { ...found, type, id: found.providerId, subjectClaim: found.subjectClaim || 'sub' }
  }
}

/** Throws Refused for a provider of another organization than the one of the sign-in; empty: any. */
export function requireOrganization(
  { organizationId: expected }: Pick<Provider, 'organizationId'>,
  organizationId: string,
): void {
  if (organizationId !== '' && organizationId !== expected)
    throw new Refused('organization_differs', { received: organizationId, expected })
}

/** OpenID Connect Core section 16.17. A provider on the loopback interface is one of a developer. */
function requireTls(issuer: string): void {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname))) return
  throw new Refused('issuer_without_tls', { received: issuer, expected: 'an https URL' })
}

/**
 * Returns a provider of SAML, one that is deactivated too: its partner may be set up before people sign in. Rejects with RpcError
 * NOT_FOUND for another one.
 */
export function createFindSamlProvider(directory: RpcClient<typeof IdentityProviderService>) {
  return async (providerId: string) => {
    const found = await directory.findProvider({ providerId }, { timeoutMs: REPEATED_CALL_TIMEOUT_MS })
    if (found.type === 'saml') return { ...found, subjectClaim: found.subjectClaim || 'sub' }
    throw new RpcError('NOT_FOUND', 'there is no SAML provider with this id')
  }
}
