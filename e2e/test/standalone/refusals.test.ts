import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { rpcClient } from '@signet/grpc/client'
import { CredentialService } from '@signet/grpc/gen/directory/v1/credential_service_pb'
import { REFUSAL_REASONS } from '@signet/protocol/refusal-reasons'
import { JWT_BEARER } from '@signet/testing/system/client-credentials'
import { MACHINE_KEY, REDIRECT_URI } from '@signet/testing/system/oauth-directory'
import {
  type AuthorizedSession,
  type Credentials,
  createOAuthEnvironment,
  OAUTH_SYSTEM,
  type OAuthEnvironment,
} from '@signet/testing/system/oauth-environment'
import { startSystem } from '@signet/testing/system/start-system'
import type { Answer } from '@signet/testing/system/test-system'
import { type JWTPayload, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

// Provokes each reason once, and finds it by request id, by application and by person.

const PASSWORD = 'Correct-horse-9'
const CHALLENGE = 'A'.repeat(43)
/** A process reports at most 20 events of one client in a second. */
const AT_ONCE = 12

interface Case {
  readonly reason: string
  readonly client: string
  /** The person, where the request proves or names one that is known. */
  readonly user?: string
  readonly result?: 'changed'
  /** Returns the request id of the response that refuses. */
  readonly provoke: () => Promise<string>
}

let oauth: OAuthEnvironment
const ids = new Map<string, string>()

/** Text of each response, with the parameters of its redirect, by its request id. */
const shown = new Map<string, string>()

function requestIdOf({ headers, text = '' }: { readonly headers: Headers; readonly text?: string }): string {
  const id = headers.get('x-request-id') ?? ''
  const location = (headers.get('location') ?? '').replaceAll('+', ' ')
  shown.set(id, `${text} ${decodeURIComponent(location)}`)
  return id
}

interface Values {
  readonly [name: string]: string
}

const authorizePath = (parameters: Values) =>
  `/oauth/v2/authorize?${new URLSearchParams({
    ...{ client_id: 'web', redirect_uri: REDIRECT_URI, response_type: 'code', scope: 'openid' },
    ...parameters,
  })}`

/** An authorization request of a browser without a session. */
function atAuthorize(
  reason: string,
  parameters: Values,
  more: Partial<Case> & { readonly raw?: string } = {},
): Case {
  const { raw = '', ...of } = more
  const provoke = async () => requestIdOf(await oauth.call(authorizePath(parameters) + raw))
  return { reason, client: parameters.client_id ?? 'web', provoke, ...of }
}

/** A sign-in with a password; the last response refuses. */
function atSignIn(
  reason: string,
  { user, login = user, password = PASSWORD, ...parameters }: Values & { readonly user: string },
  more: Partial<Case> & { readonly next?: Values } = {},
): Case {
  const { next, ...of } = more
  const client = parameters.client_id ?? 'web'
  return {
    ...{ reason, client, user },
    async provoke() {
      const browser = oauth.system.newBrowser()
      const page = await browser.open(authorizePath(parameters))
      const signedIn = await browser.submit(page, { login_name: login ?? '', password })
      return requestIdOf(next === undefined ? signedIn : await browser.send(authorizePath(next)))
    },
    ...of,
  }
}

/** A call of the token endpoint. */
function atToken(
  reason: string,
  form: Values | (() => Promise<Values>),
  more: Partial<Case> & { readonly from?: Credentials } = {},
): Case {
  const { from, ...of } = more
  const client = from !== undefined && 'basic' in from ? from.basic : 'web'
  const provoke = async () =>
    requestIdOf(await oauth.token(typeof form === 'function' ? await form() : form, from))
  return { reason, client, provoke, ...of }
}

const at = (reason: string, client: string, call: () => Promise<Answer>, more: Partial<Case> = {}): Case => ({
  ...{ reason, client },
  provoke: async () => requestIdOf(await call()),
  ...more,
})

/** The password that the test gives to alice ended the sessions of her first epoch. */
const tokens = (session: AuthorizedSession = {}, from?: Credentials) =>
  oauth.tokens({ epoch: 1, ...session }, from)

const seconds = () => Math.floor(oauth.system.clock.now().getTime() / 1000)

const OTHER_KEY = generateKeyPairSync('rsa', { modulusLength: 2048 })

/** Authenticates the client `backend-keyed` with an assertion. */
async function callWithAssertion(
  claims: JWTPayload,
  header: object = {},
  key = MACHINE_KEY.privateKey,
): Promise<string> {
  const payload = {
    ...{ iss: 'backend-keyed', sub: 'backend-keyed', aud: oauth.system.issuer, jti: randomUUID() },
    ...{ iat: seconds(), exp: seconds() + 60 },
  }
  const assertion = await new SignJWT(clean({ ...payload, ...claims }))
    .setProtectedHeader({ alg: 'RS256', kid: 'k1', ...header })
    .sign(key)
  const answer = await oauth.token(
    { grant_type: 'client_credentials' },
    { form: { client_assertion: assertion, client_assertion_type: JWT_BEARER } },
  )
  return requestIdOf(answer)
}

/** A call with an assertion of the client `backend-keyed`. */
const asserted = (
  reason: string,
  claims: () => JWTPayload | Promise<JWTPayload>,
  header: object = {},
  key = MACHINE_KEY.privateKey,
): Case => ({
  ...{ reason, client: 'backend-keyed' },
  provoke: async () => callWithAssertion(await claims(), header, key),
})

const clean = (claims: JWTPayload): JWTPayload => JSON.parse(JSON.stringify(claims))

const CODE = { grant_type: 'authorization_code', redirect_uri: REDIRECT_URI }
const codeForm = async (more: Values = {}, session = {}) => ({
  ...CODE,
  code: await oauth.code({ scope: 'openid offline_access', epoch: 1, ...session }),
  ...more,
})
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'
const exchanged = (more: Values) => async () => {
  const { json } = await tokens({ clientId: 'exchanger' })
  return {
    ...{ grant_type: EXCHANGE, subject_token: String(json.access_token), subject_token_type: ACCESS_TOKEN },
    ...more,
  }
}
const refreshForm = async (more: Values = {}) => {
  const { json } = await tokens({ scope: 'openid offline_access' }, { basic: 'web' })
  return { grant_type: 'refresh_token', refresh_token: String(json.refresh_token), ...more }
}
const pushed = (more: Values = {}) =>
  oauth.post(
    '/oauth/v2/par',
    { redirect_uri: REDIRECT_URI, response_type: 'code', scope: 'openid', ...more },
    { basic: 'web' },
  )
const ORG = 'urn:service:iam:org:id'

let switchedOn: Promise<void> | undefined
/** Switches token exchange on once, and waits until the token service has heard of it. */
const switchExchangeOn = (): Promise<void> => {
  switchedOn ??= switchOn()
  return switchedOn
}

async function switchOn(): Promise<void> {
  await oauth.manage('PUT', '/v2/features/instance', { oidcTokenExchange: true })
  const wrong = await exchanged({ subject_token: 'x' })()
  await vi.waitFor(
    async () => {
      const { text } = await oauth.token(wrong, { basic: 'exchanger' })
      expect(text).not.toContain('switched off')
      // Each try is a refusal too, of which a client has twenty in a round.
    },
    { timeout: 10_000, interval: 500 },
  )
}

/** A code of a request with a code challenge, which a call with a wrong verifier does not use up. */
async function challengedForm(more: Values): Promise<Values> {
  const browser = oauth.system.newBrowser()
  const path = authorizePath({ code_challenge: CHALLENGE, code_challenge_method: 'S256' })
  const page = await browser.submit(await browser.open(path), { login_name: 'alice', password: PASSWORD })
  const code = new URL(page.headers.get('location') ?? '').searchParams.get('code') ?? ''
  return { ...CODE, code, ...more }
}

/** A factor that login hands to the directory, as after a password. */
function ofFactor(
  reason: string,
  user: string | undefined,
  verify: (requestId: string) => Promise<unknown>,
): Case {
  return {
    ...{ reason, client: 'web', ...(user && { user }) },
    async provoke() {
      const requestId = randomUUID()
      await verify(requestId)
      return requestId
    },
  }
}

const credentials = () => rpcClient(CredentialService, oauth.network.transport('login', 'directory'))
const attempt = (requestId: string) => ({ requestId, clientId: 'web', userId: 'alice', code: '123456' })

let latest = ''

const CASES: readonly Case[] = [
  // The authorization endpoint, without a person.
  atAuthorize('redirect_uri_missing', { redirect_uri: '' }),
  atAuthorize('redirect_uri_unregistered', { redirect_uri: `${REDIRECT_URI}/other` }),
  atAuthorize('parameter_repeated', {}, { raw: '&state=a&state=b' }),
  atAuthorize('parameter_zero_character', {}, { raw: '&state=%00' }),
  atAuthorize('state_too_long', { state: 'x'.repeat(3_000) }),
  atAuthorize('nonce_too_long', { nonce: 'x'.repeat(2_000) }),
  atAuthorize('response_type_missing', { response_type: '' }),
  atAuthorize('response_type_unsupported', { response_type: 'magic' }),
  atAuthorize('dpop_jkt_malformed', { dpop_jkt: 'short' }),
  atAuthorize('response_type_not_bound', { client_id: 'bound', response_type: 'id_token token', nonce: 'n' }),
  atAuthorize('response_type_not_allowed', { response_type: 'id_token', nonce: 'n' }),
  atAuthorize('scope_missing', { scope: '' }),
  atAuthorize('scope_without_openid', { scope: 'profile' }),
  atAuthorize('scope_malformed', { scope: 'openid "profile"' }),
  atAuthorize('scope_too_long', { scope: `openid ${'x'.repeat(2_000)}` }),
  atAuthorize('organization_unknown', { scope: `openid ${ORG}:nothing` }),
  atAuthorize('organization_several', { scope: `openid ${ORG}:acme ${ORG}:beta` }),
  atAuthorize('audience_not_allowed', { scope: 'openid urn:service:iam:org:project:id:closed:aud' }),
  atAuthorize('pkce_required', { client_id: 'backend-public' }),
  atAuthorize('code_challenge_missing', { code_challenge_method: 'S256' }),
  atAuthorize('pkce_method', { code_challenge: CHALLENGE, code_challenge_method: 'plain' }),
  atAuthorize('code_challenge_malformed', { code_challenge: 'short', code_challenge_method: 'S256' }),
  atAuthorize('nonce_missing', { client_id: 'page', response_type: 'id_token' }),
  atAuthorize('prompt_unknown', { prompt: 'magic' }),
  atAuthorize('prompt_none_combined', { prompt: 'none login' }),
  atAuthorize('max_age_malformed', { max_age: 'soon' }),
  atAuthorize('claims_malformed', { claims: '{' }),
  atAuthorize('acr_unmet', {
    claims: JSON.stringify({ id_token: { acr: { essential: true, values: ['x', 'y'] } } }),
  }),
  atAuthorize('details_malformed', { authorization_details: '{}' }),
  atAuthorize('details_too_long', { authorization_details: `["${'x'.repeat(2_000)}"]` }),
  atAuthorize('detail_type_unknown', { authorization_details: '[{"type":"magic"}]' }),
  atAuthorize('details_not_taken', {
    ...{ client_id: 'page', response_type: 'id_token', nonce: 'n' },
    authorization_details: '[{"type":"magic"}]',
  }),
  atAuthorize('request_object_without_key', { request: 'x' }),
  atAuthorize('request_object_malformed', { client_id: 'backend-keyed', request: 'x' }),
  atAuthorize('request_object_encrypted', { request: 'e30.a.a.a.a' }),
  atAuthorize('request_object_unsigned', { request: 'eyJhbGciOiJub25lIn0.e30.' }),
  atAuthorize('request_uri', { request_uri: 'https://app.example.com/request' }),
  atAuthorize('request_uri_expired', { request_uri: `urn:ietf:params:oauth:request_uri:${'a'.repeat(43)}` }),
  at('request_uri_pushed', 'web', () => pushed({ request_uri: 'urn:ietf:params:oauth:request_uri:a' })),
  at('request_uri_of_other_client', 'jwt', async () => {
    const { json } = await pushed()
    return oauth.call(authorizePath({ client_id: 'jwt', request_uri: String(json.request_uri) }))
  }),
  atAuthorize('hint_invalid', { id_token_hint: 'x' }),
  atAuthorize('login_required', { prompt: 'none' }),
  atAuthorize('scopes_dropped', { scope: 'openid profil roles' }, { result: 'changed' }),
  atAuthorize(
    'offline_access_dropped',
    {
      ...{ client_id: 'backend-public', scope: 'openid offline_access' },
      ...{ code_challenge: CHALLENGE, code_challenge_method: 'S256' },
    },
    { result: 'changed' },
  ),
  // The latest of equal ones is kept, so no other request here has these changes of this client.
  atAuthorize(
    'code_challenge_absent',
    { client_id: 'exchanger', scope: 'openid offline_access' },
    { result: 'changed' },
  ),
  atAuthorize(
    'offline_access_missing',
    { client_id: 'exchanger', code_challenge: CHALLENGE, code_challenge_method: 'S256' },
    { result: 'changed' },
  ),
  // Sign-ins.
  atSignIn('password_wrong', { user: 'alice', password: 'Wrong-horse-9' }),
  atSignIn('account_unknown', { user: 'who-is-this' }, { user: undefined } as never),
  atSignIn('account_not_active', { user: 'org-helper' }),
  atSignIn('password_not_set', { user: 'helper' }),
  atSignIn('password_sign_in_not_allowed', { user: 'carol', login: 'carol@beta.localhost' }),
  atSignIn('project_role_missing', { user: 'bob', client_id: 'checked' }),
  atSignIn('project_not_granted', { user: 'dave', login: 'dave@gamma.localhost', client_id: 'checked' }),
  atSignIn(
    'consent_required',
    { user: 'alice' },
    { client: 'asking', next: { client_id: 'asking', prompt: 'none' } },
  ),
  atSignIn(
    'second_factor_required',
    { user: 'alice' },
    { next: { prompt: 'none', acr_values: 'urn:service:acr:mfa' } },
  ),
  {
    ...{ reason: 'consent_denied', client: 'asking', user: 'alice' },
    async provoke() {
      const browser = oauth.system.newBrowser()
      const page = await browser.open(authorizePath({ client_id: 'asking' }))
      const asked = await browser.submit(page, { login_name: 'alice@acme.localhost', password: PASSWORD })
      return requestIdOf(await browser.submit(asked, { decision: 'deny' }))
    },
  },
  {
    ...{ reason: 'account_selection_required', client: 'web' },
    async provoke() {
      const browser = oauth.system.newBrowser()
      for (const login_name of ['alice', 'bob']) {
        const page = await browser.open(authorizePath({ prompt: 'login' }))
        await browser.submit(page, { login_name, password: PASSWORD })
      }
      return requestIdOf(await browser.send(authorizePath({ prompt: 'none' })))
    },
  },
  {
    ...{ reason: 'hint_other_user', client: 'web' },
    async provoke() {
      const { json } = await tokens()
      const browser = oauth.system.newBrowser()
      const page = await browser.open(authorizePath({ id_token_hint: String(json.id_token) }))
      return requestIdOf(await browser.submit(page, { login_name: 'bob', password: PASSWORD }))
    },
  },
  {
    ...{ reason: 'throttled', client: 'web', user: 'boss' },
    async provoke() {
      const browser = oauth.system.newBrowser()
      let page = await browser.open(authorizePath({}))
      for (let n = 0; n < 6; n++)
        page = await browser.submit(page, { login_name: 'boss', password: 'Wrong-horse-9' })
      expect(page.status).toBe(429)
      return requestIdOf(page)
    },
  },
  ofFactor('totp_not_set', 'alice', (id) => credentials().verifyTotp(attempt(id), { timeoutMs: 5_000 })),
  ofFactor('recovery_code_wrong', 'alice', (id) =>
    credentials().verifyRecoveryCode(attempt(id), { timeoutMs: 5_000 }),
  ),
  ofFactor('passkey_unknown', undefined, (id) =>
    credentials().verifyPasskey(
      { response: '{}', challenge: 'x', requestId: id, clientId: 'web' },
      { timeoutMs: 5_000 },
    ),
  ),
  // Sign-out.
  at('post_logout_redirect_uri_unregistered', 'web', () =>
    oauth.call('/oidc/v1/end_session?client_id=web&post_logout_redirect_uri=https%3A%2F%2Felse.example'),
  ),
  at('client_mismatch', 'web', async () => {
    const { json } = await tokens()
    return oauth.call(`/oidc/v1/end_session?client_id=jwt&id_token_hint=${json.id_token}`)
  }),
  // Client authentication.
  atToken('client_certificate_missing', CODE, {
    from: { form: { client_id: 'certified' } },
    client: 'certified',
  }),
  atToken('client_secret_wrong', CODE, { from: { basic: 'jwt', secret: 'wrong' }, client: 'jwt' }),
  atToken('client_auth_method_not_registered', CODE, {
    from: { form: { client_id: 'jwt', client_secret: 'x' } },
    client: 'jwt',
  }),
  atToken(
    'client_auth_method_of_grant_type',
    { grant_type: 'client_credentials' },
    { from: { form: { client_id: 'backend-public' } }, client: 'backend-public' },
  ),
  asserted('assertion_subject', () => ({ iss: 'web' })),
  asserted('assertion_kid', () => ({}), { kid: 'k9' }),
  asserted('assertion_audience', () => ({ aud: 'https://else.example' })),
  asserted('assertion_times', () => ({ exp: Number.NaN })),
  asserted('assertion_expired', () => ({ iat: seconds() - 600, exp: seconds() - 300 })),
  asserted('assertion_too_long', () => ({ exp: seconds() + 86_400 })),
  asserted('assertion_early', () => ({ iat: seconds() + 600, exp: seconds() + 660 })),
  asserted('assertion_jti', () => ({ jti: 'x'.repeat(600) })),
  asserted('assertion_signature', () => ({}), {}, OTHER_KEY.privateKey),
  asserted('assertion_replayed', async () => {
    const claims = { jti: 'used-before' }
    await callWithAssertion(claims)
    return claims
  }),
  // The token endpoint.
  atToken('grant_type_not_allowed', CODE, { from: { basic: 'backend' } }),
  atToken('dpop_proof_missing', { grant_type: 'client_credentials' }, { from: { basic: 'bound' } }),
  atToken('parameters_invalid', { grant_type: 'authorization_code' }),
  atToken('code_unknown', { ...CODE, code: 'sgco_unknown' }),
  atToken('code_of_other_client', () => codeForm(), { from: { basic: 'jwt' } }),
  atToken('redirect_uri_mismatch', () => codeForm({ redirect_uri: 'https://else.example' }), {
    user: 'alice',
  }),
  atToken('code_verifier_surplus', () => codeForm({ code_verifier: CHALLENGE }), { user: 'alice' }),
  atToken(
    'code_replayed',
    async () => {
      const form = await codeForm()
      await oauth.token(form)
      return form
    },
    { user: 'alice' },
  ),
  atToken(
    'session_or_account_ended',
    async () => {
      const sid = randomUUID()
      const form = await codeForm({}, { sid })
      await oauth.logout(sid)
      return form
    },
    { user: 'alice' },
  ),
  atToken(
    'code_expired',
    async () => {
      const form = await codeForm()
      oauth.system.clock.advance(120_000)
      return form
    },
    { user: 'alice' },
  ),
  atToken('code_verifier_missing', () => challengedForm({}), { user: 'alice' }),
  atToken('code_verifier_malformed', () => challengedForm({ code_verifier: 'short' }), { user: 'alice' }),
  atToken('pkce_mismatch', () => challengedForm({ code_verifier: 'B'.repeat(43) }), { user: 'alice' }),
  atToken(
    'refresh_token_reused',
    async () => {
      const form = await refreshForm()
      for (let n = 0; n < 2; n++) {
        const { json } = await oauth.token({ ...form, refresh_token: n === 0 ? form.refresh_token : latest })
        latest = String(json.refresh_token)
        oauth.system.clock.advance(120_000)
      }
      return form
    },
    { user: 'alice' },
  ),
  atToken('refresh_token_not_current', async () => {
    const form = await refreshForm()
    await oauth.revoke(form.refresh_token)
    return form
  }),
  atToken('refresh_token_unknown', { grant_type: 'refresh_token', refresh_token: 'x' }),
  atToken('refresh_token_of_other_client', () => refreshForm({ scope: 'openid' }), {
    from: { basic: 'exchanger' },
  }),
  atToken('scope_exceeds_grant', () => refreshForm({ scope: 'openid email' }), { user: 'alice' }),
  atToken(
    'scope_unknown',
    { grant_type: 'client_credentials', scope: 'nonsense' },
    { from: { basic: 'backend' } },
  ),
  atToken(
    'scope_of_other_organization',
    { grant_type: 'client_credentials', scope: `${ORG}:beta` },
    { from: { basic: 'backend' } },
  ),
  atToken('feature_off', exchanged({}), { from: { basic: 'exchanger' } }),
  ...(
    [
      ['subject_token_type', { subject_token_type: 'urn:example:magic' }],
      ['subject_token', { subject_token: 'x' }],
      ['requested_token_type', { requested_token_type: 'urn:example:magic' }],
      ['actor_token_type_missing', { actor_token: 'x' }],
      ['actor_token_type', { actor_token: 'x', actor_token_type: 'urn:example:magic' }],
      ['actor_token', { actor_token: 'x', actor_token_type: ACCESS_TOKEN }],
      ['resource_unknown', { resource: 'https://else.example' }],
      ['audience_exceeds_tokens', { audience: 'closed' }],
      ['scope_exceeds_tokens', { scope: 'openid email' }],
    ] as const
  ).map(([reason, form]) =>
    atToken(
      reason,
      async () => {
        await switchExchangeOn()
        return exchanged(form)()
      },
      { from: { basic: 'exchanger' } },
    ),
  ),
  at('token_missing', 'web', () => oauth.post('/oauth/v2/revoke', {}, { basic: 'web' })),
  at('token_of_other_client', 'jwt', async () => {
    const { json } = await tokens()
    return oauth.revoke(json.access_token, { basic: 'jwt' })
  }),
  at(
    'token_not_in_audience',
    'api-closed',
    async () => {
      const { json } = await tokens()
      return oauth.introspect(json.access_token, { basic: 'api-closed' })
    },
    { result: 'changed' },
  ),
  at(
    'origin_not_allowed',
    'web',
    () =>
      oauth.call('/oauth/v2/token', {
        method: 'POST',
        headers: { origin: 'https://else.example', authorization: `Basic ${btoa('web:x')}` },
        body: new URLSearchParams(CODE),
      }),
    { result: 'changed' },
  ),
  // Userinfo.
  at(
    'openid_missing',
    'web',
    async () => {
      const { json } = await tokens({ scope: 'profile' })
      return oauth.userinfo(json.access_token)
    },
    { user: 'alice' },
  ),
]

/** Reasons that no request of this test provokes, by why. */
const NOT_PROVOKED = {
  'names no client that exists, so nothing is kept': [
    'client_unknown',
    'assertion_malformed',
    'assertion_payload',
  ],
  'is for a part of Signet that is away or overloaded': [
    ...['replay_guard_unreachable', 'secret_verification_busy', 'assertion_unrecorded', 'refresh_key_gone'],
    ...['refresh_family_crowded', 'rate_limited', 'client_authentication_throttled'],
  ],
  'needs a change between two steps of one request, and takes the way of its neighbours': [
    ...['ended_meanwhile', 'session_ended', 'account_gone', 'project_refuses_user', 'request_too_long'],
  ],
  'needs a factor, which tests of the directory have; their refusals take the way of totp_not_set': [
    ...['totp_wrong', 'totp_used', 'totp_unusable', 'second_factor_set', 'organization_other'],
    ...['passkey_cloned', 'passkey_of_other_user', 'passkey_sign_in_not_allowed', 'passkey_wrong'],
  ],
  'needs an identity provider, which upstream-accounts.test.ts of the directory has': [
    ...['provider_not_usable', 'assertion_incomplete', 'no_account', 'user_name_taken', 'user_name_invalid'],
    ...['too_many_attempts', 'identity_provider_refused', 'single_logout_refused'],
  ],
  'needs a document, which client-metadata.test.ts has': ['client_document_refused'],
  'is a rule about DPoP proofs, which dpop.test.ts breaks one by one': [
    ...['dpop_proof_malformed', 'dpop_proof_typ', 'dpop_proof_alg', 'dpop_proof_key', 'dpop_proof_signature'],
    ...[
      'dpop_proof_claims',
      'dpop_proof_request',
      'dpop_proof_age',
      'dpop_proof_token_hash',
      'dpop_proof_replayed',
    ],
    ...['dpop_proof_unrecorded', 'dpop_nonce_required', 'dpop_key_of_code', 'key_of_refresh_token'],
    ...['key_of_presented_token', 'key_of_access_token', 'dpop_jkt_of_other_key'],
  ],
  'is a rule about authorization details, which authorization-details.test.ts breaks': [
    ...['detail_invalid', 'details_exceed_grant'],
  ],
  'is a rule about certificates, which mutual-tls.test.ts breaks one by one': [
    ...[
      'client_certificate_unreadable',
      'client_certificate_chain',
      'client_certificate_key',
      'client_certificate_malformed',
    ],
    ...['client_certificate_name', 'client_certificate_name_unregistered', 'client_certificate_times'],
    'dpop_beside_certificate',
  ],
  'is a rule about devices, which device.test.ts breaks one by one': [
    ...['device_pending', 'device_too_fast', 'device_code_unknown', 'device_code_expired'],
    ...['device_code_of_other_client', 'device_answered', 'device_scope_of_api', 'device_of_fapi2_client'],
  ],
  'is a rule of client registration, which client-registration.test.ts of the directory breaks': [
    ...['initial_access_token_invalid', 'registrations_exhausted', 'registration_frozen'],
    ...['client_metadata_invalid', 'software_statement_refused'],
  ],
  'is a rule of identity assertions, which cross-app-access.test.ts of the token service breaks': [
    ...['cross_app_public_client', 'cross_app_actor', 'cross_app_not_allowed', 'cross_app_scope'],
    ...['cross_app_resource', 'cross_app_own_assertion', 'cross_app_issuer_not_trusted', 'cross_app_claims'],
    ...['cross_app_client', 'cross_app_ambiguous', 'cross_app_person_unknown', 'cross_app_access_ended'],
  ],
  'needs a trusted issuer, which a test of the token service has': [
    ...['issuer_not_trusted', 'issuer_claims', 'issuer_keys_unknown', 'issuer_keys_not_uploaded'],
    ...['client_keys_unknown', 'token_review_refused', 'token_review_unavailable'],
  ],
  'takes the way of its neighbours, which are here': [
    ...['parameters_too_long', 'assertion_alg', 'assertion_alg_of_key', 'api_not_allowed'],
    ...['actor_chain', 'actor_missing', 'actor_of_public_client', 'impersonation_off'],
    ...['impersonation_consent', 'impersonation_step_up', 'impersonation_api'],
    ...[
      'request_object_payload',
      'request_object_signature',
      'request_object_alg',
      'request_object_alg_of_key',
    ],
    ...['request_object_kid', 'request_object_client', 'request_object_nested', 'request_object_audience'],
    ...['request_object_times', 'request_object_expired', 'request_object_early', 'request_object_parameter'],
    ...['impersonator_role_missing', 'push_required', 'request_uri_used', 'resource_exceeds_grant'],
    ...['request_object_required', 'signed_response_required'],
  ],
}

const REDIRECT_RULE = /not among the redirectUris of this application/
/** The rule in the response to a common mistake, by the reason of the refusal. */
const TOLD = {
  redirect_uri_unregistered: REDIRECT_RULE,
  pkce_required: /code_challenge.*S256/,
  client_auth_method_not_registered: /authMethod is client_secret_basic/,
  client_secret_wrong: /client_id is the clientId of an application, not its id/,
  code_replayed: /code.*used/,
  code_of_other_client: /another client/,
  assertion_early: /check the clock/,
  assertion_expired: /expired/,
  assertion_audience: /aud/,
  project_role_missing: /no role in a project/,
} satisfies Partial<Record<keyof typeof REFUSAL_REASONS, RegExp>>

const read = async (query: Values, bearer?: string) => {
  const path = `/management/v1/refusals?${new URLSearchParams({ limit: '500', ...query })}`
  const { status, json } = await oauth.manage('GET', path, undefined, bearer)
  expect(status).toBe(200)
  return json.items as readonly {
    requestId: string
    reason: string
    result: string
    clientId: string
    userId?: string
  }[]
}

beforeAll(async () => {
  oauth = createOAuthEnvironment(await startSystem(OAUTH_SYSTEM))
  const manage = async (method: string, path: string, body: object) => {
    const { status, text } = await oauth.manage(method, `/management/v1${path}`, body)
    if (status >= 300) throw new Error(`${path}: ${text}`)
  }
  const person = { profile: { givenName: 'D', familyName: 'D' } }
  await manage('POST', '/organizations', { id: 'gamma', name: 'Gamma', primaryDomain: 'gamma.localhost' })
  await manage('POST', '/users', { id: 'dave', userName: 'dave', organizationId: 'gamma', ...person })
  for (const user of ['alice', 'bob', 'boss', 'carol', 'dave', 'org-helper'])
    await manage('POST', `/users/${user}/password`, { password: PASSWORD, changeRequired: false })
  await manage('PATCH', '/users/org-helper', { state: 'inactive' })
  await manage('PATCH', '/organizations/beta/policies/login', { allowUsernamePassword: false })
  await manage('POST', '/applications', {
    ...{
      projectId: 'closed',
      id: 'asking',
      clientId: 'asking',
      name: 'Asking',
      type: 'web',
      redirectUris: [REDIRECT_URI],
    },
  })
  for (let from = 0; from < CASES.length; from += AT_ONCE) {
    const chunk = CASES.slice(from, from + AT_ONCE)
    for (const { reason, provoke } of chunk) ids.set(reason, await provoke())
    // Each event is handed over before the next ones come, so that no bound drops one.
    await vi
      .waitFor(
        async () => {
          const known = new Set((await read({})).map(({ requestId }) => requestId))
          expect(chunk.filter(({ reason }) => !known.has(ids.get(reason) ?? ''))).toEqual([])
        },
        { timeout: 30_000, interval: 100 },
      )
      // The tests name what is missing.
      .catch(() => undefined)
  }
}, 120_000)
afterAll(() => oauth?.stop())

describe('a refusal is found by request id, by application and by person', () => {
  it.each(CASES)('$reason', async ({ reason, client, user, result = 'refused' }) => {
    const requestId = ids.get(reason) ?? ''
    const ofRequest = await read({ requestId })
    expect(ofRequest).toContainEqual(
      expect.objectContaining({ requestId, reason, result, clientId: client, ...(user && { userId: user }) }),
    )
    const ofApplication = await read({ application: client })
    expect(ofApplication.map((refusal) => refusal.requestId)).toContain(requestId)
    if (user === undefined) return
    expect((await read({ user })).map((refusal) => refusal.requestId)).toContain(requestId)
  })

  it.each(Object.entries(TOLD))('the response for %s names the parameter and the rule', (reason, rule) => {
    expect(shown.get(ids.get(reason) ?? '')).toMatch(rule)
  })

  it('provokes every reason that signet why explains, or says why not', () => {
    const provoked = new Set(CASES.map(({ reason }) => reason))
    const missing = Object.keys(REFUSAL_REASONS).filter((reason) => !provoked.has(reason))
    expect(missing.sort()).toEqual(Object.values(NOT_PROVOKED).flat().sort())
  })
})

describe('a flood', () => {
  const count = async (filter: Values = {}) => (await read(filter)).length
  const send = (requests: number, parameters: Values) =>
    Promise.all(Array.from({ length: requests }, () => oauth.call(authorizePath(parameters))))

  it('of unknown client ids stores nothing', async () => {
    const before = await count()
    await send(300, { client_id: 'no-such-client' })
    const last = atAuthorize('redirect_uri_unregistered', {
      client_id: 'jwt',
      redirect_uri: 'https://a.example',
    })
    const requestId = await last.provoke()
    await expect.poll(() => read({ requestId })).toHaveLength(1)
    expect(await count()).toBe(before + 1)
  })

  it('of a known client stores at most its ring, and keeps the place of others', async () => {
    const start = Date.now()
    let requests = 0
    while (Date.now() - start < 6_000) {
      await send(50, { client_id: 'asserting', redirect_uri: 'https://a.example' })
      requests += 50
    }
    const other = atAuthorize('redirect_uri_unregistered', {
      client_id: 'asserted',
      redirect_uri: 'https://a.example',
    })
    const requestId = await other.provoke()
    await expect.poll(() => read({ requestId })).toHaveLength(1)
    expect(requests).toBeGreaterThan(200)
    const stored = await count({ application: 'asserting' })
    expect(stored).toBeGreaterThan(20)
    expect(stored).toBeLessThanOrEqual(100)
  })
})

describe('who sees refusals', () => {
  it('shows an owner of another organization nothing of these', async () => {
    const robot = { id: 'gamma-robot', userName: 'gamma-robot', name: 'Robot', organizationId: 'gamma' }
    await oauth.manage('POST', '/management/v1/service-users', robot)
    const member = '/management/v1/organizations/gamma/members/gamma-robot'
    expect((await oauth.manage('PUT', member, { roles: ['ORG_OWNER'] })).status).toBe(200)
    const created = await oauth.manage('POST', '/management/v1/users/gamma-robot/tokens', {})
    const bearer = String(created.json.token)
    const requestId = ids.get('password_wrong') ?? ''
    for (const query of [
      { requestId },
      { user: 'alice' },
      { application: 'web' },
      { requestId: 'no-such-request' },
    ])
      expect(await read(query, bearer)).toEqual([])
    // The own person at an application of another organization.
    expect((await read({ user: 'dave' }, bearer)).map(({ reason }) => reason)).toEqual([
      'project_not_granted',
    ])
  })
})

describe('a mistake that leaves no refusal is named in its response', () => {
  const created = (more: object) =>
    oauth.manage('POST', '/management/v1/applications', {
      ...{ projectId: 'portal', name: randomUUID(), type: 'web', redirectUris: [REDIRECT_URI], ...more },
    })

  it.each<[mistake: string, send: () => Promise<Answer>, rule: RegExp]>([
    [
      'a redirect URI with http and a real host is registered',
      () => created({ redirectUris: ['http://app.example.com/callback'] }),
      /must use https; http is for loopback hosts and devMode/,
    ],
    [
      'an origin with a slash at the end is registered',
      () => created({ allowedOrigins: ['https://app.example.com/'] }),
      /without a path or a slash at the end/,
    ],
    [
      'a browser application is registered with a secret',
      () => created({ type: 'userAgent', authMethod: 'client_secret_basic' }),
      /authMethod/,
    ],
    [
      'a browser application introspects',
      () => oauth.post('/oauth/v2/introspect', { token: 'x' }, { form: { client_id: 'backend-public' } }),
      /public client may not call this endpoint.*application of type api/,
    ],
    [
      'an ID token is sent to userinfo',
      async () => oauth.userinfo((await tokens()).json.id_token),
      /ID token is not an access token/,
    ],
    [
      'the issuer has a slash at its end',
      () => oauth.call('//.well-known/openid-configuration'),
      /\/\.well-known\/openid-configuration/,
    ],
    [
      'a sign-out names neither a hint nor a client',
      async () => {
        const { headers } = await oauth.call(
          '/oidc/v1/end_session?post_logout_redirect_uri=https%3A%2F%2Felse.example',
        )
        return oauth.call(headers.get('location') ?? '')
      },
      /names neither the application \(client_id\) nor an ID token/,
    ],
  ])('%s', async (_, send, rule) => expect((await send()).text).toMatch(rule))
})
