import { randomBytes } from 'node:crypto'
import type { HttpBrowser } from '@signet/testing/http-browser'
import { size } from '@signet/testing/sizes'
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose'
import * as oidc from 'openid-client'
import { expect } from 'vitest'
import type { AuthorizationResponse } from '../authorization-response.ts'
import type { Parameters, Provider } from '../provider.ts'

/** Flow to get tokens that a certification plan goes through with every module. */
export interface Flow {
  readonly clientId: string
  readonly responseType: 'code' | 'id_token' | 'id_token token'
  readonly mode: AuthorizationResponse['mode']
}

/** The plans basic, implicit and form-post; then the general plan with each further client authentication method. */
const EVERY_FLOW: readonly Flow[] = [
  { clientId: 'web', responseType: 'code', mode: 'query' },
  { clientId: 'web', responseType: 'code', mode: 'form_post' },
  { clientId: 'implicit', responseType: 'id_token', mode: 'fragment' },
  { clientId: 'implicit', responseType: 'id_token', mode: 'form_post' },
  { clientId: 'implicit', responseType: 'id_token token', mode: 'fragment' },
  { clientId: 'implicit', responseType: 'id_token token', mode: 'form_post' },
  { clientId: 'post', responseType: 'code', mode: 'query' },
  { clientId: 'keyed', responseType: 'code', mode: 'query' },
  { clientId: 'spa', responseType: 'code', mode: 'query' },
]

export const FLOWS = EVERY_FLOW.slice(0, size('certificationFlows'))
export const FLOWS_WITH_ACCESS_TOKEN = FLOWS.filter(({ responseType }) => responseType !== 'id_token')
/** Flows with every client authentication method, which is what the token endpoint checks. */
export const CODE_FLOWS = EVERY_FLOW.filter(({ responseType }) => responseType === 'code')

export const STATE = 's'.repeat(128)
const VERIFIER = randomBytes(32).toString('base64url')

export interface Outcome {
  readonly browser: HttpBrowser
  readonly response: AuthorizationResponse
  readonly idToken: JWTPayload
  readonly hint: string
  /** Empty in a flow without one. */
  readonly accessToken: string
  readonly expiresIn: number | undefined
}

/** The request of a flow; parameters are added, and an empty one is left out. */
export async function requestOf(flow: Flow, parameters: Parameters = {}): Promise<Parameters> {
  return {
    client_id: flow.clientId,
    response_type: flow.responseType,
    nonce: 'n-1',
    state: STATE,
    ...(flow.mode === 'form_post' && { response_mode: 'form_post' }),
    // The one client here whose registration demands it.
    ...(flow.clientId === 'spa' && {
      code_challenge: await oidc.calculatePKCECodeChallenge(VERIFIER),
      code_challenge_method: 'S256',
    }),
    ...parameters,
  }
}

/** Goes through a flow to the end and expects the properties of every successful one. */
export async function complete(
  provider: Provider,
  flow: Flow,
  parameters: Parameters = {},
  browser: HttpBrowser = provider.system.newBrowser(),
): Promise<Outcome> {
  const request = await requestOf(flow, parameters)
  const response = await provider.authorize(request, { browser })
  return { browser, ...(await finish(provider, flow, response, request)) }
}

/** Takes the tokens of a response. */
export async function finish(
  provider: Provider,
  flow: Flow,
  response: AuthorizationResponse,
  request: Parameters,
): Promise<Omit<Outcome, 'browser'>> {
  expect(Object.fromEntries(response.parameters)).toMatchObject({ state: STATE, iss: provider.issuer })
  expect(response.mode).toBe(flow.mode)
  const tokens =
    flow.responseType === 'code'
      ? await redeem(provider, flow, response, request)
      : tokensOf(response.parameters)
  const idToken = await verifyIdToken(provider, flow, tokens.hint)
  expect(idToken.nonce).toBe(request.nonce === '' ? undefined : request.nonce)
  return { response, idToken, ...tokens }
}

async function redeem(provider: Provider, flow: Flow, response: AuthorizationResponse, request: Parameters) {
  const { nonce } = request
  const answer = await oidc.authorizationCodeGrant(
    await provider.client(flow.clientId),
    response.received(),
    {
      expectedState: STATE,
      idTokenExpected: true,
      ...(nonce && { expectedNonce: nonce }),
      ...(request.code_challenge && { pkceCodeVerifier: VERIFIER }),
    },
  )
  return { hint: answer.id_token ?? '', accessToken: answer.access_token, expiresIn: answer.expires_in }
}

function tokensOf(parameters: URLSearchParams) {
  const expiresIn = parameters.get('expires_in')
  return {
    hint: parameters.get('id_token') ?? '',
    accessToken: parameters.get('access_token') ?? '',
    expiresIn: expiresIn === null ? undefined : Number(expiresIn),
  }
}

async function verifyIdToken(provider: Provider, flow: Flow, jwt: string): Promise<JWTPayload> {
  const keySet = createRemoteJWKSet(new URL('/oauth/v2/keys', provider.issuer))
  const { payload } = await jwtVerify(jwt, keySet, {
    issuer: provider.issuer,
    audience: flow.clientId,
    algorithms: ['RS256'],
    requiredClaims: ['sub', 'exp', 'iat', 'auth_time'],
    currentDate: new Date(provider.now() * 1000),
    maxTokenAge: '5m',
  })
  expect(payload.auth_time).toBeTypeOf('number')
  expect(payload.aud === flow.clientId || (Array.isArray(payload.aud) && payload.aud.length === 1)).toBe(true)
  return payload
}

/** A page of our own that says no, from which nothing leads to the client. */
export function expectErrorPage(page: { status: number; headers: Headers; body: string }): void {
  expect(page.status).toBe(400)
  expect(page.headers.get('location')).toBeNull()
  expect(page.body).toMatch(/<h1>(?:Request rejected|This application’s sign-in request has a mistake)</)
  expect(page.body).not.toContain('form-post')
}
