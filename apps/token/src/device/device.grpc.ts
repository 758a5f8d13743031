import { RpcError } from '@signet/grpc/error'
import { DeviceService } from '@signet/grpc/gen/token/v1/device_service_pb'
import { type RpcService, rpcService } from '@signet/grpc/service'
import { authorizedRequest, clientUnknown, sessionOf, wellFormed } from '../issuance/authorization.grpc.ts'
import type { DeviceAuthorizations } from './device-authorization.service.ts'

/** Serves `signet.token.v1.DeviceService`. */
export const deviceService = ({ begin, approve, deny }: DeviceAuthorizations): RpcService =>
  rpcService(DeviceService, {
    async beginDevice({ handle, clientId }) {
      if (handle === '' || clientId === '') {
        throw new RpcError('INVALID_ARGUMENT', 'handle and client_id are required')
      }
      await begin({ handle, clientId })
      return {}
    },
    async approveDevice(request) {
      const { handle, nonce, clientAddress } = request
      const outcome = await wellFormed(
        approve({
          ...{ ...authorizedRequest(request), handle, clientAddress },
          ...(nonce !== undefined && { nonce }),
        }),
      )
      switch (outcome) {
        case 'answered':
        case 'gone':
          return { answered: outcome === 'answered' }
        case 'client_unknown':
          throw clientUnknown()
        case 'too_long':
          throw new RpcError('INVALID_ARGUMENT', 'scope, claims and nonce together are too long for a code')
      }
    },
    async denyDevice({ handle, clientId, scopes, session, clientAddress }) {
      const person = sessionOf(session)
      return {
        answered: (await deny({ handle, clientId, scopes, session: person, clientAddress })) === 'answered',
      }
    },
  })
