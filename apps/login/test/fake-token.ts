import { RpcError } from '@signet/grpc/error'
import { KeyService, KeyState } from '@signet/grpc/gen/keys/v1/key_service_pb'
import { AuthorizationService } from '@signet/grpc/gen/token/v1/authorization_service_pb'
import { type ApproveDeviceRequest, DeviceService } from '@signet/grpc/gen/token/v1/device_service_pb'
import { GrantService } from '@signet/grpc/gen/token/v1/grant_service_pb'
import { RevocationService } from '@signet/grpc/gen/token/v1/revocation_service_pb'
import { type RpcService, rpcService } from '@signet/grpc/service'
import { accessOf } from './fake-directory.ts'
import type { FakeServices } from './fake-services.ts'

/** The contracts of the token service that login calls. */
export function fakeToken(fakes: FakeServices): readonly RpcService[] {
  return [
    fakes.fake('token', AuthorizationService, {
      async issueCode(request) {
        if (request.scopes.some((scope) => scope.endsWith(':nowhere:aud'))) {
          throw new RpcError('NOT_FOUND', 'scope names an unknown project: nowhere')
        }
        fakes.codeRequests.push(request)
        return { code: `code-${fakes.codeRequests.length}` }
      },
      async issueImplicit(request) {
        if (fakes.refuse.has('token')) throw new RpcError('FAILED_PRECONDITION', 'the session has ended')
        fakes.implicitRequests.push(request)
        const idToken = `id-token-${fakes.implicitRequests.length}`
        if (!request.withAccessToken) return { idToken, scope: request.scopes.join(' ') }
        return { idToken, scope: request.scopes.join(' '), accessToken: 'access-token', expiresIn: 3600 }
      },
    }),
    fakes.fake('token', DeviceService, {
      async beginDevice({ handle, clientId }) {
        fakes.devices.set(handle, { clientId, state: 'waits' })
        return {}
      },
      approveDevice: async (request) => ({ answered: answer(fakes, request, 'approved') }),
      denyDevice: async (request) => ({ answered: answer(fakes, request, 'denied') }),
    }),
    fakes.fake('token', GrantService, {
      countUse: async () => ({}),
      findLastUse: async () => ({}),
      async listGrants({ userId }) {
        return {
          grants: accessOf(userId, fakes.grants).map((grant) => ({
            ...grant,
            byAssertion: fakes.assertedGrants.has(`${userId} ${grant.clientId}`),
          })),
        }
      },
      async endGrants({ userId, clientId, clientAddress }) {
        fakes.endedAccess.push({ by: 'token', userId, clientId, clientAddress })
        fakes.grants.delete(`${userId} ${clientId}`)
        return {}
      },
    }),
    fakes.fake('token', RevocationService, {
      async endSession({ sessions, clientAddress, administrator }) {
        fakes.endedFrom.push(clientAddress)
        if (administrator) fakes.administrators.push(administrator.userId)
        fakes.endedSids.push(...sessions.map(({ sid }) => sid))
        return {}
      },
      async publishEndings() {
        throw new RpcError('PERMISSION_DENIED', 'login publishes no epochs')
      },
      async revokeKey() {
        throw new RpcError('PERMISSION_DENIED', 'login revokes no keys')
      },
    }),
  ]
}

function answer(
  { devices }: FakeServices,
  { handle, session, scopes }: Pick<ApproveDeviceRequest, 'handle' | 'session' | 'scopes'>,
  state: 'approved' | 'denied',
): boolean {
  const device = devices.get(handle)
  if (device?.state !== 'waits') return false
  devices.set(handle, { ...device, state, userId: session?.userId ?? '', scopes })
  return true
}

/** The contract of keys, with one public key. */
export function fakeKeys(fakes: FakeServices, jwk: string): readonly RpcService[] {
  return [
    rpcService(KeyService, {
      // biome-ignore lint/correctness/useYield: because this service never leases; the contract wants the method
      async *lease() {
        throw new RpcError('PERMISSION_DENIED', 'login holds no key')
      },
      async listPublicKeys() {
        fakes.requirePresent('keys')
        return { keys: [{ kid: 'k1', algorithm: 'ES256', state: KeyState.ACTIVE, jwk }], revision: 1n }
      },
      async signArchiveManifest() {
        throw new RpcError('PERMISSION_DENIED', 'login signs nothing')
      },
      async signIntrospectionResponse() {
        throw new RpcError('PERMISSION_DENIED', 'login signs nothing')
      },
      async signAuthorizationResponse({ parameters }) {
        fakes.requirePresent('keys')
        return { jwt: JSON.stringify(Object.fromEntries(parameters.map(({ name, value }) => [name, value]))) }
      },
    }),
  ]
}
