import { hashOf, newRandomValue, PageExpiredError, type RandomBytes } from '../sessions/browser.ts'
import type { BrowserSession } from '../sessions/browser-session.ts'
import {
  type AssessAuthorization,
  type FindDetails,
  type FindResources,
  readRequest,
} from './assess-authorization.ts'
import type { Assessment, AuthorizationFlow, ValidRequest } from './authorization-flow.ts'
import type { IdTokenHints } from './id-token-hint.ts'
import type { FindClient } from './oauth-client.ts'
import { isOwnClient } from './own-client.ts'
import { type RequestParameters, requestParameters } from './parameters.ts'
import type {
  CountStored,
  DeviceReference,
  FinishedRequest,
  PendingAuthorizations,
} from './pending-authorization.ts'
import {
  createPushedParametersReader,
  type PushedRequests,
  pushedReference,
  respondOnce,
} from './pushed-request.ts'
import { AuthorizationResponseError, type AuthorizationResponses, type ProvenRedirect } from './redirect.ts'
import type { ReadRequestObject } from './request-object.ts'

interface AuthorizationFlowOptions {
  readonly findClient: FindClient
  readonly findResources: FindResources
  readonly findDetails: FindDetails
  readonly hints: IdTokenHints
  readonly assess: AssessAuthorization
  readonly pendingAuthorizations: PendingAuthorizations
  readonly pushedRequests: PushedRequests
  readonly readRequestObject: ReadRequestObject
  readonly countStored: CountStored
  readonly random: RandomBytes
  readonly responses: AuthorizationResponses
  /** Tells the device of a request that its person refused. */
  readonly denyDevice: (denied: DeniedDevice) => Promise<void>
}

interface DeniedDevice extends Pick<ValidRequest, 'request'>, Pick<ProvenRedirect, 'client'> {
  readonly device: DeviceReference
  readonly session: BrowserSession
  /** Network address of the browser. */
  readonly clientAddress: string
}

/**
 * Returns the beginning that the application names, or the first page of its host: the redirect URI expects a response. A native
 * application without either has no address, and neither has a device.
 */
function leftOf({
  redirect: { client, redirectUri },
  progress,
}: Pick<Assessment, 'redirect' | 'progress'>): FinishedRequest | undefined {
  if (isOwnClient(client) || progress.device !== undefined) return undefined
  if (client.start !== undefined) return { application: client.name, url: client.start }
  const { protocol, origin } = new URL(redirectUri)
  return /^https?:$/.test(protocol) ? { application: client.name, url: `${origin}/` } : undefined
}

const pageExpired = () => new PageExpiredError('the pending authorization request is gone')

export function createAuthorizationFlow({
  findClient,
  findResources,
  findDetails,
  hints,
  assess,
  pendingAuthorizations,
  pushedRequests,
  readRequestObject,
  countStored,
  random,
  responses,
  denyDevice,
}: AuthorizationFlowOptions): AuthorizationFlow {
  const reading = { findClient, findResources, findDetails, hints }
  const newValue = () => newRandomValue(random)
  const readPushed = createPushedParametersReader({ findClient, pushedRequests, newValue })
  /** The parameters of a new request, from where the client put them. */
  const readSent = async (sent: RequestParameters) => {
    const { parameters, progress } = await readPushed(sent)
    // The object of a pushed request was read when it was pushed.
    return { parameters: progress.opening ? parameters : await readRequestObject(parameters), progress }
  }
  const respond = (assessment: Assessment & { readonly interaction: 'none' }) =>
    respondOnce(pushedRequests, assessment.progress.opening, assessment.respond)
  const assessPending: AuthorizationFlow['assess'] = async (requestId, browser, options) => {
    const pending = await pendingAuthorizations.load(requestId, browser.id, options)
    if (pending === undefined) throw pageExpired()
    const { parameters, ...progress } = pending
    const { sessionCookie } = browser
    return assess(requestParameters(Object.entries(parameters)), { sessionCookie, progress })
  }

  return {
    async check(sent) {
      const { parameters, progress } = await readSent(sent)
      const isPushed = progress.opening !== undefined
      const { redirect, stored } = await readRequest(parameters, reading, { isPushed })
      if (isPushed) return pushedReference(sent)
      // The parameters of the object count with its signature alone, which is verified again.
      return redirect.client.requiresSignedRequests ? sent.pick(['client_id', 'request']) : stored
    },
    assess: assessPending,
    async begin(sent, browser, { clientAddress, onRead }) {
      const { parameters, progress } = await readSent(sent)
      const assessment = await assess(parameters, { sessionCookie: browser.sessionCookie, progress })
      onRead(assessment)
      if (assessment.interaction === 'none') return { kind: 'respond', ...(await respond(assessment)) }
      const requestId = newRandomValue(random)
      const pending = { browserHash: hashOf(browser.id), parameters: assessment.stored, ...progress }
      countStored(clientAddress, pending)
      await pendingAuthorizations.create(requestId, pending)
      return { kind: 'interact', interaction: assessment.interaction, requestId }
    },
    async resume(requestId, browser) {
      const assessment = await assessPending(requestId, browser)
      const { interaction } = assessment
      if (interaction !== 'none') return { kind: 'interact', interaction, requestId }
      // The response is issued before the request is finished: while the token service is unavailable, the request must
      // stay. Of concurrent calls only one returns its response.
      const issued = await respond(assessment)
      const left = leftOf(assessment)
      if (await pendingAuthorizations.finish(requestId, browser.id, left))
        return { kind: 'respond', ...issued }
      throw new PageExpiredError('the pending authorization request was answered already')
    },
    async answer({ stored, redirect, progress }, { session: { sid }, sessions, noRolesOffered }) {
      if (redirect.responseMode === 'form_post') return undefined
      try {
        const assessment = await assess(requestParameters(Object.entries(stored)), {
          sessionCookie: undefined,
          sessions,
          progress: { ...progress, signedInSid: sid, passwordProof: undefined, noRolesOffered },
        })
        return assessment.interaction === 'none' ? (await respond(assessment)).response : undefined
      } catch {
        // `resume` fails likewise, and its caller reports the error.
        return undefined
      }
    },
    finish: (requestId, browser, assessment) =>
      pendingAuthorizations.finish(requestId, browser.id, leftOf(assessment), {
        parameters: assessment.stored,
        answeredUntil: assessment.progress.answeredUntil,
      }),
    async refuse(requestId, browser, error) {
      const assessment = await assessPending(requestId, browser)
      const { redirect, progress, request } = assessment
      // Made while the request still waits: where it cannot be signed now, the person answers again.
      const response = await responses.error(redirect, error)
      const session = 'session' in assessment ? assessment.session : undefined
      if (progress.device !== undefined && session !== undefined) {
        const { device } = progress
        await denyDevice({
          device,
          client: redirect.client,
          request,
          session,
          clientAddress: browser.clientAddress,
        })
      }
      await pendingAuthorizations.finish(requestId, browser.id, leftOf(assessment))
      if (progress.opening !== undefined) await pushedRequests.claim(progress.opening)
      if (session !== undefined) error.values = { userId: session.userId, ...error.values }
      throw new AuthorizationResponseError(redirect, error, response)
    },
    finished: (requestId, browser) => pendingAuthorizations.finished(requestId, browser.id),
    async update(requestId, browser, progress) {
      const updated = await pendingAuthorizations.change(requestId, browser.id, (pending) => ({
        ...pending,
        ...progress,
      }))
      if (!updated) throw pageExpired()
    },
  }
}
