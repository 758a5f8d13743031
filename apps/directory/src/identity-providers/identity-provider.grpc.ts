import type { MessageInitShape } from '@bufbuild/protobuf'
import { RpcError } from '@signet/grpc/error'
import {
  FindProviderResponseSchema,
  IdentityProviderService,
} from '@signet/grpc/gen/directory/v1/identity_provider_service_pb'
import { type RpcService, rpcService } from '@signet/grpc/service'
import { openValue } from '@signet/platform/sealing/sealed-value'
import { PROVIDER_ROWS } from '@signet/protocol/fields/identity-provider'
import { MAPPED_MEMBERS, type MappedMember } from '@signet/protocol/provider-profile'
import { identityProviderPurpose, MasterKeyUnknownError } from '../sealing/purposes.ts'
import { secretKind } from './apple-rules.ts'
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
      const { id, organizationId, type, usable } = found
      return {
        ...toldMembers(found),
        ...{ providerId: id, organizationId, type, usable },
        ...credentialOf(found, masterKeys),
        ...{ clientTeamId: found.teamId ?? '', clientKeyId: found.keyId ?? '' },
        ownCertificates: [...found.ownCertificates],
        ownKeys: [...openOwnKeys(id, found.sealedOwnKeys, masterKeys)],
      }
    },
  })
}

/** Members of a provider that the message has by the same name. */
const TOLD = PROVIDER_ROWS.filter(([member]) => member in FindProviderResponseSchema.field)

/** Their values in the message: text that is null is empty there. */
function toldMembers(provider: StoredProvider): MessageInitShape<typeof FindProviderResponseSchema> {
  const { requiredClaims, mappedClaims } = provider
  return {
    ...Object.fromEntries(TOLD.map(([member]) => [member, provider[member] ?? ''])),
    requiredClaims: Object.entries(requiredClaims).map(([name, value]) => ({ name, value })),
    mappedClaims: Object.entries(mappedClaims).map(([member, value]) => ({
      name: MAPPED_MEMBERS[member as MappedMember],
      value: value ?? '',
    })),
  }
}

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
