import type { IncomingMessage } from 'node:http'
import { type Endpoint, jsonAnswer, NO_STORE } from '@signet/http/endpoint'
import type { Clock } from '@signet/platform/runtime/clock'
import type { RequireProof } from '@signet/tokens/dpop/require-proof'
import { AUTHORIZATION_PARAMETERS, requestParameters } from '../authorize/parameters.ts'
import type { PushRequest } from '../authorize/push-request.service.ts'
import { keyspaces } from '../keyspaces.ts'
import { PATHS } from '../pages/paths.ts'
import { type ClientFormDependencies, clientFormEndpoint } from './client-form.ts'

interface PushedAuthorizationDependencies extends ClientFormDependencies {
  readonly pushRequest: PushRequest
  readonly requireProof: RequireProof
  readonly now: Clock
}

/** The pushed authorization request endpoint (RFC 9126 section 2). */
export function pushedAuthorizationEndpoint(dependencies: PushedAuthorizationDependencies): Endpoint {
  const { pushRequest } = dependencies
  const url = `${dependencies.issuer}${PATHS.pushedAuthorization}`
  const provenJkt = async ({ headers: { dpop } }: IncomingMessage): Promise<string | undefined> =>
    dpop === undefined
      ? undefined
      : (await dependencies.requireProof(String(dpop), { method: 'POST', url }, dependencies.now())).jkt
  return clientFormEndpoint(
    PATHS.pushedAuthorization,
    AUTHORIZATION_PARAMETERS,
    dependencies,
    async ({ req, body, client: { clientId }, sentBy }) => {
      const parameters = requestParameters(Object.entries({ ...body, client_id: clientId }))
      const requestUri = await pushRequest(parameters, sentBy, await provenJkt(req))
      const answer = { request_uri: requestUri, expires_in: keyspaces.pushedRequest.ttlSeconds }
      return { ...jsonAnswer(answer, NO_STORE), status: 201 }
    },
  )
}
