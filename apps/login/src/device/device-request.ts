// The requests of devices (RFC 8628) that wait for a person, and the authorization request that is made of one.
//
// The pages of a sign-in decide about it as about a request of the authorization endpoint, by the same gates. The application is
// seen with one redirect URI, the page that ends the request, and its response is an approval for the device instead of a code in
// the browser.
import { GRANT_TYPES } from '@signet/protocol/grant-types'
import type { AuthorizationRequest } from '../authorize/authorization-request.ts'
import type { Client, FindClient } from '../authorize/oauth-client.ts'
import { type RequestParameters, requestParameters } from '../authorize/parameters.ts'
import type { DeviceReference } from '../authorize/pending-authorization.ts'
import type { ProvenRedirect } from '../authorize/redirect.ts'
import type { BrowserSession } from '../sessions/browser-session.ts'

/** The request of a device. */
export interface DeviceRequest {
  /** SHA-256 of the device code. */
  readonly handle: string
  /** The parameters of the authorization request that a person answers. */
  readonly parameters: Readonly<Record<string, string>>
  /** Network address of the device. */
  readonly clientAddress: string
  /** Unix milliseconds. */
  readonly startedAt: number
}

/** Stores the requests of devices by the code that a person types. */
export interface DeviceRequests {
  /** Returns the new code. */
  store(request: DeviceRequest): Promise<string>
  /** Undefined for a code that is unknown, answered, or too old. */
  find(userCode: string): Promise<(DeviceRequest & Pick<DeviceReference, 'codeId'>) | undefined>
  forget(device: Pick<DeviceReference, 'codeId'>): Promise<void>
}

/** A person answers the request of a device. */
export interface AnsweredDevice extends Pick<ProvenRedirect, 'client'> {
  readonly device: DeviceReference
  readonly request: AuthorizationRequest
  readonly session: BrowserSession
  /** Network address of the browser. */
  readonly clientAddress: string
}

/** The calls about devices to the token service, which the devices ask. */
export interface DeviceAnswers {
  begin(device: Pick<DeviceRequest, 'handle'> & { readonly clientId: string }): Promise<void>
  /** Throws ExpiredTokenError for a request that was answered before, or is gone. */
  approve(answered: AnsweredDevice): Promise<void>
  deny(answered: AnsweredDevice): Promise<void>
}

/** The parameters of an authorization request that a device may send. */
export const DEVICE_PARAMETERS = [
  ...['scope', 'nonce', 'claims', 'acr_values', 'max_age', 'login_hint', 'resource', 'ui_locales'],
] as const

/**
 * The parameters of the authorization request of a device. The person chooses the account and always sees the consent page, also of a
 * first-party application and after an earlier consent: an attacker may have begun the request.
 */
export function deviceParameters(
  sent: RequestParameters,
  clientId: string,
  endUri: string,
): RequestParameters {
  return requestParameters(
    Object.entries({
      ...sent.pick(DEVICE_PARAMETERS),
      client_id: clientId,
      redirect_uri: endUri,
      response_type: 'code',
      prompt: 'select_account consent',
    }),
  )
}

/** Finds applications with the device authorization grant, as the requests of devices see them. */
export function createDeviceClientFinder(findClient: FindClient, endUri: string): FindClient {
  return async (clientId) => {
    const client = await findClient(clientId)
    return client?.grantTypes.includes(GRANT_TYPES.deviceCode) ? deviceClient(client, endUri) : undefined
  }
}

/** Neither PKCE nor a push binds the response: it goes to the device, which proves itself by the device code. */
const deviceClient = (client: Client, endUri: string): Client => ({
  ...client,
  redirectUris: [endUri],
  portRule: 'registered',
  requiresPkce: false,
  requiresPush: false,
  requiresSignedRequests: false,
  requiresSignedResponses: false,
  responseTypes: ['code'],
  grantTypes: [...client.grantTypes, GRANT_TYPES.authorizationCode],
})
