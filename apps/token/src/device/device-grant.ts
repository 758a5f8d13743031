import { createHash } from 'node:crypto'
import { DEVICE_LIFETIME_SECONDS, requireDeviceGrant } from '@signet/protocol/device-authorization'
import {
  AccessDeniedError,
  AuthorizationPendingError,
  ExpiredTokenError,
  InvalidGrantError,
  namingUser,
  type OAuthError,
  SlowDownError,
} from '@signet/protocol/errors'
import { type AuthorizationCode, openAuthorizationCode } from '@signet/tokens/authorization-code'
import { z } from 'zod'
import { grant } from '../grants/grant.ts'
import { type RedeemDeps, redeemCode } from '../grants/redeem-code.ts'
import { refuseDetails } from '../issuance/details.ts'
import type { DeviceState, DeviceStore } from './device-authorization.service.ts'

interface Deps extends RedeemDeps {
  readonly devices: DeviceStore
}

const params = z.object({
  device_code: z.string('device_code is required').min(1, 'device_code is empty'),
  resource: z.string().optional(),
  authorization_details: z.string().optional(),
})

const DEVICE_CODE = /^[A-Za-z0-9_-]{43}$/

/** RFC 8628 sections 3.4 and 3.5. An approval is redeemed as an authorization code is. */
export const deviceGrant = (deps: Deps) =>
  grant({
    params,
    async handle(call) {
      const { client, now, params } = call
      requireDeviceGrant(client)
      refuseDetails(params.authorization_details)
      const { resource } = params
      if (!DEVICE_CODE.test(params.device_code)) throw invalidCode('device_code_unknown')
      const handle = createHash('sha256').update(params.device_code).digest('base64url')
      const state = await deps.devices.poll({ handle, clientId: client.clientId }, now)
      if (state.kind !== 'approved') throw REFUSALS[state.kind]()
      const code = openAuthorizationCode(state.code, deps.keys.codeOpener)
      const isOfDevice = code?.device === handle && code.clientId === client.clientId
      if (code === undefined || !isOfDevice || code.expiresAt * 1000 <= now.getTime()) throw REFUSALS.gone()
      return namingUser(
        () => code.user.id,
        async () => {
          await requireStanding(deps.devices, code)
          return redeemCode(deps, call, { code, resource, details: undefined, refusal: invalidCode })
        },
      )
    },
  })

/** Refuses an approval whose person has ended the access of the application since: until it is redeemed no grant stands for it. */
async function requireStanding(
  devices: Deps['devices'],
  { user, clientId, expiresAt }: AuthorizationCode,
): Promise<void> {
  const ended = await devices.findApprovalsEnd({ userId: user.id, clientId })
  const approvedAt = (expiresAt - DEVICE_LIFETIME_SECONDS) * 1000
  if (ended !== undefined && ended.getTime() >= approvedAt) throw REFUSALS.denied()
}

const REFUSALS: Readonly<Record<Exclude<DeviceState['kind'], 'approved'>, () => OAuthError>> = {
  pending: () =>
    new AuthorizationPendingError('the request has not been answered yet; ask again after the interval', {
      reason: 'device_pending',
    }),
  slow_down: () =>
    new SlowDownError('ask less often: the interval is five seconds longer from now on', {
      reason: 'device_too_fast',
    }),
  denied: () => new AccessDeniedError('The user did not allow access', { reason: 'consent_denied' }),
  gone: () =>
    new ExpiredTokenError('device_code has expired; begin again at the device authorization endpoint', {
      reason: 'device_code_expired',
    }),
  of_other_client: () => invalidCode('device_code_of_other_client'),
}

function invalidCode(reason: string): InvalidGrantError {
  return new InvalidGrantError(
    'device_code is unknown, used or of another client; begin again at the device authorization endpoint',
    { reason },
  )
}
