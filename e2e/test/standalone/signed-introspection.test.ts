// RFC 9701: openid-client as an independent client, jose for what it does not look at.

import { oauthDirectory, SECRET } from '@signet/testing/system/oauth-directory'
import { createOAuthEnvironment, type OAuthEnvironment } from '@signet/testing/system/oauth-environment'
import { startSystem } from '@signet/testing/system/start-system'
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, expect, it } from 'vitest'

const JWT = 'application/token-introspection+jwt'
const ES256_API = 'api-shop'

let oauth: OAuthEnvironment
let issuer: string
beforeAll(async () => {
  const system = await startSystem({
    mode: 'in-process',
    document: { ...oauthDirectory(), features: { oidcTokenExchange: true } },
  })
  oauth = createOAuthEnvironment(system)
  ;({ issuer } = system)
}, 60_000)
afterAll(() => oauth?.stop())

const signed = (token: unknown, caller = 'api') =>
  oauth.post('/oauth/v2/introspect', { token: String(token) }, { basic: caller }, { accept: JWT })

const tokenOf = async (scope = 'openid email') => String((await oauth.tokens({ scope })).json.access_token)

it('signs the response that the caller would get as JSON, for it alone [fapi.introspection.signed]', async () => {
  const token = await tokenOf()
  const answer = await signed(token)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, JWT])
  expect(answer.headers.get('cache-control')).toBe('no-store')
  const keySet = createRemoteJWKSet(new URL(`${issuer}/oauth/v2/keys`))
  const { payload } = await jwtVerify(answer.text, keySet, {
    issuer,
    audience: 'api',
    typ: 'token-introspection+jwt',
  })
  expect(payload).toEqual({
    iss: issuer,
    aud: 'api',
    iat: expect.any(Number),
    token_introspection: (await oauth.introspect(token)).json,
  })
})

it('signs inactive responses too, and with the algorithm of the caller', async () => {
  await oauth.manage('PATCH', `/management/v1/applications/${ES256_API}`, { accessTokenSigningAlg: 'ES256' })
  await expect
    .poll(async () => decodeProtectedHeader((await signed('unknown', ES256_API)).text).alg)
    .toBe('ES256')
  const { payload } = await jwtVerify(
    (await signed(await tokenOf(), ES256_API)).text,
    createRemoteJWKSet(new URL(`${issuer}/oauth/v2/keys`)),
    { audience: ES256_API, algorithms: ['ES256'] },
  )
  expect(payload.token_introspection).toEqual({ active: false })
})

it('answers openid-client, whose client has introspection_signed_response_alg', async () => {
  const client = await oidc.discovery(
    new URL(issuer),
    'api',
    { introspection_signed_response_alg: 'RS256' },
    oidc.ClientSecretBasic(SECRET),
    { execute: [oidc.allowInsecureRequests] },
  )
  expect(client.serverMetadata().introspection_signing_alg_values_supported).toEqual(['RS256', 'ES256'])
  const token = await tokenOf()
  expect(await oidc.tokenIntrospection(client, token)).toMatchObject({ active: true, sub: 'alice' })
})

it('refuses a signed response wherever a token is expected', async () => {
  const { text } = await signed(await tokenOf())
  expect((await oauth.userinfo(text)).status).toBe(401)
  expect((await oauth.introspect(text)).json).toEqual({ active: false })
  expect((await oauth.manage('GET', '/management/v1/users', undefined, text)).status).toBe(401)
  for (const type of ['access_token', 'id_token', 'jwt']) {
    const exchange = await oauth.token(
      {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: text,
        subject_token_type: `urn:ietf:params:oauth:token-type:${type}`,
      },
      { basic: 'exchanger' },
    )
    expect(exchange.status, type).toBe(400)
  }
})

it('refuses a caller before anything is signed', async () => {
  const refused = await oauth.post(
    '/oauth/v2/introspect',
    { token: 'x' },
    { basic: 'api', secret: 'wrong' },
    { accept: JWT },
  )
  expect(refused).toMatchObject({ status: 401, json: { error: 'invalid_client' } })
})
