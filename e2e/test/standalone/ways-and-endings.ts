import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import { hiddenFields } from '@signet/platform/load/http-browser'
import { IDENTITY_PROVIDER_CALLBACK } from '@signet/protocol/identity-provider-callback'
import type { HttpBrowser, Page } from '@signet/testing/http-browser'
import type { InProcessSystem } from '@signet/testing/system/in-process-system'
import { REDIRECT_URI, resourceServer, SECRET } from '@signet/testing/system/oauth-directory'
import { ADMIN_TOKEN, PASSWORD, WEB_SECRET } from '@signet/testing/system/test-directory'
import { type Answer, type TestSystem, tokensOf } from '@signet/testing/system/test-system'
import { type JWTPayload, SignJWT } from 'jose'
import { readResponse } from './authorization-response.ts'
import { accepted } from './interleavings.ts'

const GRANT = 'urn:ietf:params:oauth:grant-type'
const PLATFORM = 'https://kubernetes.default.svc.cluster.local'
const WORKLOAD = 'system:serviceaccount:shop:orders'
/** The API that asks what a token says; it lives through each ending. */
const API_AUDIENCE = 'urn:service:iam:org:project:id:api:aud'

const key = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const platformKey = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const publicJwkOf = ({ publicKey }: { publicKey: KeyObject }) => publicKey.export({ format: 'jwk' })

/** Ids of what one row of the test owns, so that an ending of one row touches no other. */
export interface Tenant {
  readonly organization: string
  readonly person: string
  readonly project: string
  readonly application: string
  /** An application that authenticates by the assertions of its platform. */
  readonly workload: string
  readonly robot: string
  /** The identity provider of the organization. */
  readonly provider: string
}

export const tenantOf = (number: number): Tenant => ({
  organization: `o${number}`,
  person: `ann${number}`,
  project: `p${number}`,
  application: `app${number}`,
  workload: `workload${number}`,
  robot: `robot${number}`,
  provider: `provider${number}`,
})

/** A directory with an organization, a person, a service user, a project and an application for each tenant. */
export function waysDirectory(tenants: readonly Tenant[]) {
  const admin = { id: 'admin', userName: 'admin', name: 'Administrator', roles: ['IAM_OWNER'] }
  const token = { id: 'admin-token', token: ADMIN_TOKEN, expiresAt: '2100-01-01T00:00:00Z' }
  const clients = tenants.flatMap(({ application, workload, robot }) => [application, workload, robot])
  const home = {
    ...{ id: 'home', name: 'Home', primaryDomain: 'home.localhost' },
    serviceUsers: [{ ...admin, personalAccessTokens: [token] }],
    projects: [{ id: 'api', name: 'API', allowedAudiences: clients, applications: [resourceServer('api')] }],
  }
  return { organizations: [home, ...tenants.map(organizationOf)], defaultOrganization: 'home' }
}

function organizationOf({ organization, person, project, application, workload, robot }: Tenant) {
  const keys = [{ id: 'k1', publicKeyJwk: publicJwkOf(key) }]
  const credentials = { clientSecret: SECRET, keys }
  const keySet = { keys: [{ ...publicJwkOf(platformKey), kid: 'c1' }] }
  const trustedIssuers = [{ id: 'cluster', issuer: PLATFORM, subject: WORKLOAD, keySet }]
  return {
    ...{ id: organization, name: organization, primaryDomain: `${organization}.localhost` },
    users: [
      {
        ...{ id: person, userName: person, password: PASSWORD },
        profile: { givenName: 'Ann', familyName: 'Example' },
        email: { address: `${person}@${organization}.localhost`, verified: true },
      },
    ],
    serviceUsers: [
      {
        ...{ id: robot, userName: robot, name: 'Robot', clientId: robot, ...credentials },
        trustedIssuers,
      },
    ],
    projects: [
      {
        ...{ id: project, name: project, projectRoleCheck: true },
        roles: [{ key: 'guest', displayName: 'Guest' }],
        grants: [{ userId: person, roles: ['guest'] }],
        applications: [
          {
            ...{ id: application, clientId: application, name: 'App', type: 'web', ...credentials },
            ...{ authMethod: 'client_secret_basic', redirectUris: [REDIRECT_URI] },
            responseTypes: ['code', 'id_token', 'id_token token'],
            grantTypes: [
              ...['authorization_code', 'implicit', 'refresh_token', 'client_credentials'],
              `${GRANT}:token-exchange`,
              `${GRANT}:device_code`,
            ],
          },
          {
            ...{ id: workload, clientId: workload, name: 'Workload', type: 'web', trustedIssuers },
            ...{ authMethod: 'private_key_jwt', redirectUris: [REDIRECT_URI] },
            grantTypes: ['client_credentials'],
          },
        ],
      },
    ],
  }
}

/** Address to which an identity provider sends the browser back. */
export const callbackOf = ({ issuer }: { readonly issuer: string }, { provider }: Tenant) =>
  `${issuer}${IDENTITY_PROVIDER_CALLBACK.replace(':providerId', provider)}`

/** The browser, the application, the platform and the identity provider of a tenant, at the running services. */
export class TenantUser {
  readonly system: InProcessSystem
  /** Installation that is the identity provider of every tenant. */
  readonly upstream: TestSystem
  readonly tenant: Tenant
  readonly browser: HttpBrowser

  /** Browser of the person at the provider, which keeps its session there. */
  readonly #atProvider: HttpBrowser

  constructor(system: InProcessSystem, upstream: TestSystem, tenant: Tenant) {
    this.#atProvider = upstream.newBrowser()
    this.system = system
    this.upstream = upstream
    this.tenant = tenant
    this.browser = system.newBrowser()
  }

  /** Lets the person sign in as `carol` of the other installation. */
  async link(): Promise<void> {
    const { organization, provider, person } = this.tenant
    const { issuer } = this.upstream
    const client = { clientId: 'web', clientSecret: WEB_SECRET, scopes: ['openid'] }
    const created = { id: provider, organizationId: organization, name: 'Corporate', issuer, ...client }
    await accepted(this.manage('POST', '/identity-providers', created))
    const identity = { providerId: provider, subject: 'carol' }
    await accepted(this.manage('POST', `/users/${person}/identity-links`, identity))
  }

  /** Signs in by the identity provider in a new browser; no parameters where it is refused. */
  async authorizeUpstream(): Promise<URLSearchParams> {
    const { application, organization, provider } = this.tenant
    const browser = this.system.newBrowser()
    const scope = `openid ${API_AUDIENCE} urn:service:iam:org:id:${organization}`
    const request = { client_id: application, redirect_uri: REDIRECT_URI, response_type: 'code', scope }
    const page = await browser.open(`/oauth/v2/authorize?${new URLSearchParams(request)}`)
    const [, body] = page.body.split('<form method="post" action="/ui/login/identity-provider">')
    if (body === undefined) return new URLSearchParams()
    const away = await browser.send('/ui/login/identity-provider', { ...hiddenFields({ body }), provider })
    const location = away.headers.get('location') ?? ''
    if (!location.startsWith(this.upstream.issuer)) return new URLSearchParams()
    const form = await this.#atProvider.open(location)
    const isKnown = form.headers.has('location')
    const credentials = { login_name: 'carol', password: PASSWORD }
    const proven = isKnown ? form : await this.#atProvider.submit(form, credentials)
    const back = await browser.open(proven.headers.get('location') ?? '')
    return back.headers.has('location') ? readResponse(back).parameters : new URLSearchParams()
  }

  manage(method: string, path: string, body?: object): Promise<Answer> {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }
    return this.system.fetch(`/management/v1${path}`, { method, headers, body: JSON.stringify(body) })
  }

  post(path: string, form: Readonly<Record<string, string>>, clientId?: string): Promise<Answer> {
    const pair = Buffer.from(`${clientId}:${SECRET}`).toString('base64')
    const headers: HeadersInit = clientId === undefined ? {} : { authorization: `Basic ${pair}` }
    return this.system.fetch(path, { method: 'POST', headers, body: new URLSearchParams(form) })
  }

  token(form: Readonly<Record<string, string>>, clientId?: string): Promise<Answer> {
    return this.post('/oauth/v2/token', form, clientId)
  }

  redeem = (code: string): Promise<Answer> =>
    this.token(
      { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI },
      this.tenant.application,
    )

  async isActive(token: string): Promise<boolean> {
    return (await this.post('/oauth/v2/introspect', { token }, 'api')).json.active === true
  }

  /** Signs the person in and allows the application, or answers without a page where neither is asked. */
  async authorize(parameters: Readonly<Record<string, string>> = {}): Promise<URLSearchParams> {
    const { application, person } = this.tenant
    const request = {
      ...{ client_id: application, redirect_uri: REDIRECT_URI, response_type: 'code', state: 's' },
      scope: `openid offline_access ${API_AUDIENCE}`,
      ...parameters,
    }
    let page: Page = await this.browser.open(`/oauth/v2/authorize?${new URLSearchParams(request)}`)
    if (page.body.includes('id="login-name"'))
      page = await this.browser.submit(page, { login_name: person, password: PASSWORD })
    if (page.body.includes('id="consent-allow"'))
      page = await this.browser.submit(page, { decision: 'allow' })
    // An error page, such as for a client that is no longer active, responds to no client.
    return page.status === 400 ? new URLSearchParams() : readResponse(page).parameters
  }

  sign(claims: JWTPayload, signer: 'own' | 'platform' = 'own'): Promise<string> {
    const now = Math.floor(this.system.clock.now().getTime() / 1000)
    const kid = signer === 'own' ? 'k1' : 'c1'
    return new SignJWT({ aud: this.system.issuer, iat: now, exp: now + 300, jti: randomUUID(), ...claims })
      .setProtectedHeader({ alg: 'ES256', kid })
      .sign((signer === 'own' ? key : platformKey).privateKey)
  }
}

/** The parts of a directory that a token rests on. */
export type Rest =
  | 'person'
  | 'session'
  | 'consent'
  | 'role'
  | 'grantType'
  | 'application'
  | 'applicationSecret'
  | 'applicationKey'
  | 'serviceUser'
  | 'serviceUserSecret'
  | 'serviceUserKey'
  | 'trust'
  | 'workload'
  | 'workloadTrust'
  | 'link'
  | 'provider'
  | 'sealKey'

export interface Way {
  readonly rests: readonly Rest[]
  /** Returns a call that gets a token, or undefined where it is refused. A code, token or request that the call needs is obtained before. */
  prepare(user: TenantUser): Promise<() => Promise<string | undefined>>
}

const OF_PERSON: readonly Rest[] = [
  'person',
  'session',
  'consent',
  'role',
  'grantType',
  'application',
  'sealKey',
]
const WITH_SECRET: readonly Rest[] = [...OF_PERSON, 'applicationSecret']

const given = ({ json }: Answer): string | undefined =>
  typeof json.access_token === 'string' ? json.access_token : undefined

/** Redeems the code of a response, if it has one. */
async function redeemed(user: TenantUser, response: URLSearchParams): Promise<string | undefined> {
  const code = response.get('code')
  return code === null ? undefined : given(await user.redeem(code))
}

/** Each way to an access token. */
export const WAYS = {
  'an unredeemed code': {
    rests: WITH_SECRET,
    async prepare(user) {
      const response = await user.authorize()
      return () => redeemed(user, response)
    },
  },
  'a session without a page': {
    rests: WITH_SECRET,
    prepare: async (user) => async () => redeemed(user, await user.authorize({ prompt: 'none' })),
  },
  'a sign-in by an identity provider': {
    rests: [...WITH_SECRET, 'link', 'provider'],
    prepare: async (user) => async () => redeemed(user, await user.authorizeUpstream()),
  },
  'a refresh token': {
    rests: WITH_SECRET,
    async prepare(user) {
      const { refresh_token } = tokensOf(await user.redeem((await user.authorize()).get('code') ?? ''))
      return async () =>
        given(await user.token({ grant_type: 'refresh_token', refresh_token }, user.tenant.application))
    },
  },
  'an implicit response': {
    rests: OF_PERSON,
    prepare: async (user) => async () => {
      const parameters = { prompt: 'none', response_type: 'id_token token', nonce: 'n' }
      return (await user.authorize(parameters)).get('access_token') ?? undefined
    },
  },
  'a pushed request': {
    rests: WITH_SECRET,
    async prepare(user) {
      const scope = `openid ${API_AUDIENCE}`
      const form = { redirect_uri: REDIRECT_URI, response_type: 'code', scope, prompt: 'none' }
      const pushed = await user.post('/oauth/v2/par', form, user.tenant.application)
      return async () =>
        redeemed(user, await user.authorize({ request_uri: String(pushed.json.request_uri) }))
    },
  },
  'a request object': {
    rests: [...WITH_SECRET, 'applicationKey'],
    async prepare(user) {
      const client_id = user.tenant.application
      const scope = `openid ${API_AUDIENCE}`
      const parameters = { client_id, redirect_uri: REDIRECT_URI, response_type: 'code', scope }
      const request = await user.sign({ ...parameters, prompt: 'none' })
      return async () => redeemed(user, await user.authorize({ request }))
    },
  },
  'an approved device': {
    rests: WITH_SECRET,
    async prepare(user) {
      const { application, person } = user.tenant
      const scope = `openid ${API_AUDIENCE}`
      const begun = await user.post('/oauth/v2/device_authorization', { scope }, application)
      const entered = { user_code: String(begun.json.user_code) }
      let page = await user.browser.submit(await user.browser.open('/ui/device'), entered)
      if (page.body.includes('id="login-name"'))
        page = await user.browser.submit(page, { login_name: person, password: PASSWORD })
      const [, sid] = /name="sid" value="([^"]+)"/.exec(page.body) ?? []
      if (sid !== undefined) page = await user.browser.submit(page, { sid })
      await user.browser.submit(page, { decision: 'allow' })
      const form = { grant_type: `${GRANT}:device_code`, device_code: String(begun.json.device_code) }
      return async () => given(await user.token(form, application))
    },
  },
  'a token exchange': {
    rests: WITH_SECRET,
    async prepare(user) {
      const subject_token = tokensOf(
        await user.redeem((await user.authorize()).get('code') ?? ''),
      ).access_token
      const subject_token_type = 'urn:ietf:params:oauth:token-type:access_token'
      const form = { grant_type: `${GRANT}:token-exchange`, subject_token, subject_token_type }
      return async () => given(await user.token(form, user.tenant.application))
    },
  },
  'client credentials of an application': {
    rests: ['grantType', 'application', 'applicationSecret', 'sealKey'],
    prepare: async (user) => async () =>
      given(
        await user.token({ grant_type: 'client_credentials', scope: API_AUDIENCE }, user.tenant.application),
      ),
  },
  'client credentials by an assertion of a trusted issuer': {
    rests: ['workload', 'workloadTrust', 'sealKey'],
    prepare: async (user) => async () => {
      const form = {
        ...{ grant_type: 'client_credentials', scope: API_AUDIENCE, client_id: user.tenant.workload },
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: await user.sign({ iss: PLATFORM, sub: WORKLOAD }, 'platform'),
      }
      return given(await user.token(form))
    },
  },
  'client credentials of a service user': {
    rests: ['serviceUser', 'serviceUserSecret', 'sealKey'],
    prepare: async (user) => async () =>
      given(await user.token({ grant_type: 'client_credentials', scope: API_AUDIENCE }, user.tenant.robot)),
  },
  'an assertion of a service user': {
    rests: ['serviceUser', 'serviceUserKey', 'sealKey'],
    prepare: async (user) => async () => {
      const { robot } = user.tenant
      const assertion = await user.sign({ iss: robot, sub: robot })
      return given(await user.token({ grant_type: `${GRANT}:jwt-bearer`, assertion, scope: API_AUDIENCE }))
    },
  },
  'an assertion of a trusted issuer': {
    rests: ['serviceUser', 'trust', 'sealKey'],
    prepare: async (user) => async () => {
      const assertion = await user.sign({ iss: PLATFORM, sub: WORKLOAD }, 'platform')
      const form = { grant_type: `${GRANT}:jwt-bearer`, assertion, scope: API_AUDIENCE }
      return given(await user.token({ ...form, client_id: user.tenant.robot }))
    },
  },
  'a personal access token': {
    rests: ['serviceUser'],
    async prepare(user) {
      const { json } = await user.manage('POST', `/users/${user.tenant.robot}/tokens`, {})
      return async () => (typeof json.token === 'string' ? json.token : undefined)
    },
  },
} as const satisfies Readonly<Record<string, Way>>

export type WayName = keyof typeof WAYS
