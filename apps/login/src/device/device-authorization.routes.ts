import { type Endpoint, jsonAnswer, NO_STORE } from '@signet/http/endpoint'
import { DEVICE_INTERVAL_SECONDS, DEVICE_LIFETIME_SECONDS } from '@signet/protocol/device-authorization'
import { requestParameters } from '../authorize/parameters.ts'
import { type ClientFormDependencies, clientFormEndpoint } from '../endpoint/client-form.ts'
import { PATHS } from '../pages/paths.ts'
import type { BeginDevice } from './begin-device.service.ts'
import { DEVICE_PARAMETERS } from './device-request.ts'
import { shownUserCode } from './user-code.ts'

interface DeviceAuthorizationDependencies extends ClientFormDependencies {
  readonly beginDevice: BeginDevice
}

/** The device authorization endpoint (RFC 8628 section 3.1). */
export function deviceAuthorizationEndpoint(dependencies: DeviceAuthorizationDependencies): Endpoint {
  const { issuer, beginDevice } = dependencies
  const verificationUri = `${issuer}${PATHS.device}`
  // `beginDevice` refuses the last one.
  const reads = [...DEVICE_PARAMETERS, 'authorization_details']
  return clientFormEndpoint(PATHS.deviceAuthorization, reads, dependencies, async (form) => {
    const parameters = requestParameters(Object.entries(form.body))
    const { deviceCode, userCode } = await beginDevice(parameters, form.client, form.sentBy)
    const shown = shownUserCode(userCode)
    const answer = {
      device_code: deviceCode,
      user_code: shown,
      verification_uri: verificationUri,
      verification_uri_complete: `${verificationUri}?user_code=${shown}`,
      expires_in: DEVICE_LIFETIME_SECONDS,
      interval: DEVICE_INTERVAL_SECONDS,
    }
    return jsonAnswer(answer, NO_STORE)
  })
}
