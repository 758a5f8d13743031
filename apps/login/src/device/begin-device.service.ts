// The device authorization request (RFC 8628 section 3.1) and its response.
import type { Client as RegisteredClient } from '@signet/directory-reader/views'
import { detailRefusal } from '@signet/protocol/authorization-details'
import { requireDeviceGrant } from '@signet/protocol/device-authorization'
import { InvalidScopeError, UnauthorizedClientError } from '@signet/protocol/errors'
import { namedAudiences } from '@signet/protocol/scopes'
import type { RequestParameters } from '../authorize/parameters.ts'
import type { CountPushed } from '../authorize/pending-authorization.ts'
import { type CheckDependencies, checkRequest, withClientErrors } from '../authorize/push-request.service.ts'
import { hashOf, newRandomValue, type RandomBytes } from '../sessions/browser.ts'
import {
  createDeviceClientFinder,
  DEVICE_PARAMETERS,
  type DeviceAnswers,
  type DeviceRequests,
  deviceParameters,
} from './device-request.ts'

interface Dependencies extends CheckDependencies {
  readonly requests: DeviceRequests
  readonly answers: Pick<DeviceAnswers, 'begin'>
  readonly countDevice: CountPushed
  readonly endUri: string
  readonly now: () => Date
  readonly random: RandomBytes
}

/** The two codes of a request: one for the device, one for its person. */
export interface BegunDevice {
  readonly deviceCode: string
  readonly userCode: string
}

/** Stores the request of a client that has proven who it is. Throws the OAuthError of a request that no person could allow. */
export type BeginDevice = (
  parameters: RequestParameters,
  client: Pick<RegisteredClient, 'clientId' | 'grantTypes' | 'fapi2' | 'requireSignedRequests'>,
  askedBy: Parameters<CountPushed>[0],
) => Promise<BegunDevice>

export function createBeginDevice(dependencies: Dependencies): BeginDevice {
  const { requests, answers, countDevice, endUri, now, random } = dependencies
  const ofDevices = { ...dependencies, findClient: createDeviceClientFinder(dependencies.findClient, endUri) }
  return async (sent, client, askedBy) => {
    requireDeviceGrant(client)
    refuseUnsigned(client)
    countDevice(askedBy, sent.pick(DEVICE_PARAMETERS))
    refuseDetails(sent)
    const { clientId } = client
    const parameters = deviceParameters(sent, clientId, endUri)
    const { request, stored } = await withClientErrors(() => checkRequest(parameters, ofDevices))
    refuseAdministration(request.scopes)
    const deviceCode = newRandomValue(random)
    const handle = hashOf(deviceCode)
    const { clientAddress } = askedBy
    const userCode = await requests.store({
      handle,
      parameters: stored,
      clientAddress,
      startedAt: now().getTime(),
    })
    await answers.begin({ handle, clientId })
    return { deviceCode, userCode }
  }
}

/** RFC 8628 has no request object. */
function refuseUnsigned({ requireSignedRequests }: Pick<RegisteredClient, 'requireSignedRequests'>): void {
  if (!requireSignedRequests) return
  throw new UnauthorizedClientError(
    'the client has requireSignedRequests, and the request of a device cannot be signed',
    { reason: 'request_object_required' },
  )
}

/** A person at a device cannot tell that the request is the one that the device shows. */
function refuseDetails(sent: RequestParameters): void {
  if (!sent.has('authorization_details')) return
  throw detailRefusal('details_not_taken', 'is not taken by the device authorization endpoint')
}

/** A person who is talked into typing a code must not hand over the administration of Signet. */
function refuseAdministration(scopes: readonly string[]): void {
  if (!namedAudiences(scopes).namesApi) return
  throw new InvalidScopeError('a device gets no access to the APIs of Signet; leave their scope out', {
    reason: 'device_scope_of_api',
  })
}
