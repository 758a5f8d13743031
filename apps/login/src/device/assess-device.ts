import { type AssessAuthorization, createAssessAuthorization } from '../authorize/assess-authorization.ts'
import { createDeviceClientFinder, type DeviceAnswers, type DeviceRequests } from './device-request.ts'

type Dependencies = Parameters<typeof createAssessAuthorization>[0]

interface DeviceParts {
  readonly answers: Pick<DeviceAnswers, 'approve'>
  readonly requests: Pick<DeviceRequests, 'forget'>
  /** Address of the page that ends a request. */
  readonly endUri: string
}

/** Assesses authorization requests, and those of devices by the same gates; the response of these is the approval. */
export function createAssessWithDevices(
  dependencies: Dependencies,
  { answers, requests, endUri }: DeviceParts,
): AssessAuthorization {
  const assess = createAssessAuthorization(dependencies)
  const findClient = createDeviceClientFinder(dependencies.findClient, endUri)
  return (parameters, browser) => {
    const { device } = browser.progress
    if (device === undefined) return assess(parameters, browser)
    const issueResponse: Dependencies['issueResponse'] = async ({ client }, request, session) => {
      await answers.approve({ device, client, request, session, clientAddress: device.enteredFrom })
      await requests.forget(device)
      return {}
    }
    return createAssessAuthorization({ ...dependencies, findClient, issueResponse })(parameters, browser)
  }
}
