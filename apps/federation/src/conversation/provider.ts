import type { MessageShape } from '@bufbuild/protobuf'
import type { RpcClient } from '@signet/grpc/client'
import { REPEATED_CALL_TIMEOUT_MS } from '@signet/grpc/client'
import { RpcError } from '@signet/grpc/error'
import type {
  FindProviderResponseSchema,
  IdentityProviderService,
} from '@signet/grpc/gen/directory/v1/identity_provider_service_pb'
import { PROVIDER_TYPES, type ProviderType } from '@signet/protocol/identity-provider-types'
import { isLoopbackHost } from '@signet/protocol/redirect-uri'
import { Refused } from './refusal.ts'

type Told = Omit<MessageShape<typeof FindProviderResponseSchema>, '$typeName' | '$unknown'>

/** An identity provider by which people may sign in now, as the directory tells of it. Text that a provider does not have is empty. */
export interface Provider
  extends Omit<
    { readonly [M in keyof Told]: Told[M] extends readonly (infer Member)[] ? readonly Member[] : Told[M] },
    'mappedClaims' | 'name' | 'ownCertificates' | 'providerId' | 'requiredClaims' | 'type' | 'usable'
  > {
  readonly id: string
  readonly type: ProviderType
  readonly requiredClaims: readonly NamedClaim[]
  readonly mappedClaims: readonly NamedClaim[]
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
