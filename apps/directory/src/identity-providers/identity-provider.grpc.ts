import { RpcError } from '@signet/grpc/error'
import { IdentityProviderService } from '@signet/grpc/gen/directory/v1/identity_provider_service_pb'
import { type RpcService, rpcService } from '@signet/grpc/service'
import { openValue } from '@signet/platform/sealing/sealed-value'
import { MAPPED_MEMBERS, type MappedMember } from '@signet/protocol/provider-profile'
import { identityProviderPurpose, MasterKeyUnknownError } from '../sealing/purposes.ts'
import { secretKind } from './apple-members.ts'
import type { StoredProvider } from './identity-provider.ts'
import { openOwnKeys } from './own-keys.ts'

interface Dependencies {
  readonly findProvider: (id: string) => Promise<(StoredProvider & { readonly usable: boolean }) | undefined>
  readonly masterKeys: readonly Buffer[]
}

export function identityProviderService({ findProvider, masterKeys }: Dependencies): RpcService {
  return rpcService(IdentityProviderService, {
    async findProvider({ providerId }) {
      const found = await findProvider(providerId)
      if (found === undefined) throw new RpcError('NOT_FOUND', 'there is no such identity provider')
      const { id, organizationId, name, type, usable, issuer, clientId, clientAuthentication } = found
      return {
        ...{ providerId: id, organizationId, name, type, usable, issuer, clientId, clientAuthentication },
        ...credentialOf(found, masterKeys),
        scopes: [...found.scopes],
        subjectClaim: found.subjectClaim,
        requiredClaims: named(found.requiredClaims),
        mappedClaims: Object.entries(found.mappedClaims).map(([member, value]) => ({
          name: MAPPED_MEMBERS[member as MappedMember],
          value: value ?? '',
        })),
        groupsClaim: found.groupsClaim ?? '',
        ssoUrl: found.ssoUrl ?? '',
        sloUrl: found.sloUrl ?? '',
        certificates: [...found.certificates],
        backchannelLogout: found.backchannelLogout,
        rpInitiatedLogout: found.rpInitiatedLogout,
        ...{ clientTeamId: found.teamId ?? '', clientKeyId: found.keyId ?? '' },
        wantAssertionsSigned: found.wantAssertionsSigned,
        nameIdFormat: found.nameIdFormat ?? '',
        assertionConsumerPath: found.assertionConsumerPath ?? '',
        assertionEncryption: found.assertionEncryption,
        signAuthnRequests: found.signAuthnRequests,
        ownCertificates: [...found.ownCertificates],
        ownKeys: [...openOwnKeys(id, found.sealedOwnKeys, masterKeys)],
        ...{ servers: [...found.servers], baseDn: found.baseDn ?? '' },
        ...{ objectClass: found.objectClass ?? '', nameAttributes: [...found.nameAttributes] },
      }
    },
  })
}

const named = (claims: Readonly<Record<string, string>>) =>
  Object.entries(claims).map(([name, value]) => ({ name, value }))

/** A key is in a member of its own: a version that does not know it sends no key as a secret. */
function credentialOf(provider: StoredProvider, masterKeys: readonly Buffer[]) {
  const secret = openSecret(provider, masterKeys)
  return secretKind(provider.clientAuthentication) === 'secret'
    ? { clientSecret: secret }
    : { clientKey: secret }
}

function openSecret({ id, sealedSecret }: StoredProvider, masterKeys: readonly Buffer[]): string {
  if (sealedSecret === null) return ''
  const secret = openValue(masterKeys, sealedSecret, identityProviderPurpose(id))
  if (secret === undefined) throw new MasterKeyUnknownError(`the client secret of identity provider ${id}`)
  return secret.toString('utf8')
}
